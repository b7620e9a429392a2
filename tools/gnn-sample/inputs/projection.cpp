#include "tools/gnn-sample/inputs/projection.h"

#include <cmath>
#include <utility>

#include "libcore/base/rng.h"
#include "libcore/base/text.h"
#include "libcore/kernels/kernels.h"
#include "libcore/nn/row_store.h"
#include "libcore/system/limits.h"
#include "tools/gnn-sample/inputs/node_key.h"
#include "tools/gnn-sample/inputs/propagation.h"
#include "tools/gnn-sample/layers/row_chunks.h"

namespace frugal::gnn {
namespace {

/// Labels were predicted better with 20 hops than with 10 or 3.
constexpr std::size_t kHops = 20;
constexpr std::size_t kSignsAtOnce = 64;  ///< of a random number of 64 bits

void draw_signs(const Rng& rng, std::span<float> row) {
  for (std::size_t c = 0; c < row.size(); ++c) {
    row[c] = (rng.at(c / kSignsAtOnce) >> (c % kSignsAtOnce) & 1) != 0 ? 1 : -1;
  }
}

/// Adds row, scaled to a mean square of 1 / kHops, to `to`.
void add_scaled(std::span<const float> row, float* to) {
  const float squares = kernels().dot(row.data(), row.data(), row.size());
  if (squares == 0) return;
  const float scale = std::sqrt(static_cast<float>(row.size()) / (kHops * squares));
  kernels().axpy(scale, row.data(), to, row.size());
}

}  // namespace

void write_projection(const CsrView& graph, const NodeSet& nodes, std::uint64_t seed,
                      MatrixView<float> out) {
  check_memory("the projection of " + format_count(out.rows, "node"),
               2 * std::uint64_t{out.rows} * out.cols * sizeof(float));
  const Propagation matrix(graph, {}, HopOperator::symmetric);
  RowStore rows, next;
  rows.resize(out.rows, out.cols);
  next.resize(out.rows, out.cols);
  for_each_chunk(out.rows, [&](std::size_t begin, std::size_t end) {
    set_zero(out.rows_between(begin, end));
    for (std::size_t v = begin; v < end; ++v) {
      draw_signs(Rng(seed, node_key(nodes, v)), rows.view().row_span(v));
    }
  });
  for (std::size_t hop = 0; hop < kHops; ++hop) {
    matrix.multiply(std::as_const(rows).view(), {}, next.view());
    for_each_chunk(out.rows, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) add_scaled(next.view().row_span(v), out.row(v));
    });
    std::swap(rows, next);
  }
}

}  // namespace frugal::gnn
