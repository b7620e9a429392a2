#pragma once
#include <vector>

#include "tools/gnn-sample/network/gat_conv.h"
#include "tools/gnn-sample/network/row_chunks.h"
#include "tools/gnn-sample/network/sparse_products.h"

namespace frugal::gnn {

struct GatConv::Room : ConvRoom {
  // The block with an edge of each target to itself, one alone, behind its others.
  std::vector<std::uint32_t> offsets, neighbors;
  Block block;
  TransposedBlock transposed;

  RowStore h;                         ///< [sources, heads * out]
  std::vector<float> source, target;  ///< [sources, heads], [targets, heads]: att . h
  std::vector<float> alpha;           ///< [edges, heads]
  std::vector<float> kept;            ///< the same after dropout, which the sums are made with
  RowStore dout;                      ///< [targets, heads * out]
  std::vector<float> dlogits;         ///< [edges, heads], behind LeakyReLU
  std::vector<float> dtarget;         ///< [targets, heads]
  RowStore dh;            ///< [sources, heads * out], if the input is sparse or wants its gradient
  SparseColumns columns;  ///< of sparse input

  // Where sums are made first, dout is [targets, in]: of the sums.
  bool sums_first = false;
  RowStore sums;                              ///< [targets, in]
  std::vector<float> by_source, by_target;    ///< [in] W att: x times them is att . h
  std::vector<float> dby_source, dby_target;  ///< [groups, in]

  void add_self_edges(const Block& from);
};

}  // namespace frugal::gnn
