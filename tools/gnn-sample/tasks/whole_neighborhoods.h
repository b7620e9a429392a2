#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/graph/csr.h"
#include "tools/gnn-sample/data/neighbor_counts.h"
#include "tools/gnn-sample/sampler/mini_batch.h"

namespace frugal::gnn {

/// The part of a graph that exact outputs of some nodes depend on: a block for each layer, with all
/// neighbours of its targets. Layers below the last compute no other nodes.
///
/// Nodes have local ids in the order in which the layers reach them, from the last layer down, so
/// the targets of a block are the first nodes of the block below, and all blocks share their edges:
///
///     local ids   | requested | + their neighbours | + neighbours of these |
///     last block  | targets   | sources                                    (1 hop)
///     block below | targets                        | sources               (2 hops)
class WholeNeighborhoods {
 public:
  /// The graph must have fewer than 2^32 nodes and edges. data: weights and features of its edges,
  /// for the blocks. Borrows features.
  WholeNeighborhoods(const CsrView& graph, const EdgeData& data, std::span<const NodeId> requested,
                     std::size_t layers);
  WholeNeighborhoods(const WholeNeighborhoods&) = delete;
  WholeNeighborhoods& operator=(const WholeNeighborhoods&) = delete;

  /// Blocks in the order of computation.
  std::span<const Block> blocks() const { return blocks_; }
  /// Nodes of the graph that the first block reads, in the order of their local ids.
  std::span<const NodeId> nodes() const { return nodes_; }
  /// Output row of each requested node; equal nodes have one row.
  std::span<const std::uint32_t> rows() const { return rows_; }
  /// The numbers of the edges of the blocks, in their order. of_graph: [edges] of `graph`, which
  /// the object was made of.
  std::vector<float> edge_numbers(const CsrView& graph, std::span<const float> of_graph) const;
  bool is_for(std::span<const NodeId> requested) const;
  /// Most bytes that an object for some nodes of the graph takes.
  static std::uint64_t bytes(const CsrView& graph, const EdgeData& data);

 private:
  void add_neighbors(const CsrView& graph, std::size_t first);
  void add_edges(const CsrView& graph, const EdgeData& data, std::size_t targets);

  std::vector<NodeId> nodes_, requested_;
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint32_t> places_;  ///< local id of each node of the graph
  std::vector<std::uint32_t> offsets_, neighbors_;
  std::vector<float> weights_;
  std::vector<std::uint64_t> positions_;  ///< of the edges in the graph, if they have features
  std::vector<Block> blocks_;
};

}  // namespace frugal::gnn
