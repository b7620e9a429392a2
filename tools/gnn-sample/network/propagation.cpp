#include "tools/gnn-sample/network/propagation.h"

#include <cmath>
#include <cstdint>

#include "libcore/kernels/kernels.h"
#include "tools/gnn-sample/data/neighbor_counts.h"
#include "tools/gnn-sample/network/row_chunks.h"
#include "tools/gnn-sample/network/source_rows.h"

namespace frugal::gnn {

Propagation::Propagation(const CsrView& graph, HopOperator kind) : graph_(graph) {
  if (kind == HopOperator::row) return;
  for (const std::uint32_t degree : neighbor_counts(graph)) {
    roots_.push_back(1 / std::sqrt(static_cast<float>(degree) + 1));
  }
}

void Propagation::multiply(MatrixView<const float> x, MatrixView<float> out) const {
  const SourceRows rows(x);
  for_each_chunk(x.rows, [&](std::size_t begin, std::size_t end) {
    thread_local std::vector<std::uint32_t> offsets;
    thread_local std::vector<float> weights;
    const EdgeId first = graph_.offsets[begin];
    offsets.clear();
    for (std::size_t v = begin; v <= end; ++v) {
      offsets.push_back(static_cast<std::uint32_t>(graph_.offsets[v] - first));
    }
    weights.clear();
    for (std::size_t v = begin; v < end && !roots_.empty(); ++v) {
      for (const NodeId j : graph_.row(static_cast<NodeId>(v))) {
        weights.push_back(j == v ? 0 : roots_[v] * roots_[j]);
      }
    }
    const Block block{.targets = static_cast<std::uint32_t>(end - begin),
                      .sources = static_cast<std::uint32_t>(x.rows),
                      .offsets = offsets.data(),
                      .neighbors = graph_.neighbors.data() + first};
    const MatrixView<float> to = out.rows_between(begin, end);
    rows.aggregate(block, 0, to.rows,
                   {.weights = weights.empty() ? nullptr : weights.data(), .mean = roots_.empty()},
                   to);
    for (std::size_t v = begin; v < end && !roots_.empty(); ++v) {
      kernels().axpy(own(v), x.row(v), to.row(v - begin), to.cols);
    }
  });
}

}  // namespace frugal::gnn
