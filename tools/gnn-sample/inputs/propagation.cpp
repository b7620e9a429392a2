#include "tools/gnn-sample/inputs/propagation.h"

#include <cmath>
#include <cstdint>

#include "libcore/kernels/kernels.h"
#include "tools/gnn-sample/data/neighbor_counts.h"
#include "tools/gnn-sample/layers/row_chunks.h"
#include "tools/gnn-sample/layers/source_rows.h"

namespace frugal::gnn {
namespace {

/// Share of the features in each hop of personalised PageRank.
constexpr float kTeleport = 0.1F;

}  // namespace

Propagation::Propagation(const CsrView& graph, std::span<const float> weights, HopOperator kind)
    : graph_(graph), weights_(weights) {
  if (kind == HopOperator::row) return;
  if (kind == HopOperator::ppr) alpha_ = kTeleport;
  const double root = std::sqrt(1 - static_cast<double>(alpha_));
  if (!weights.empty()) {
    for (const WeightedDegree& degree : weighted_degrees(graph, weights)) {
      const double total = degree.total();
      roots_.push_back(static_cast<float>(total > 0 ? root / std::sqrt(total) : 0));
      own_.push_back(static_cast<float>(degree.own));
    }
    return;
  }
  for (const std::uint32_t degree : neighbor_counts(graph)) {
    roots_.push_back(static_cast<float>(root) / std::sqrt(static_cast<float>(degree) + 1));
  }
}

/// One divided by the sum of the weights of a node's edges; 0 if that is 0.
float Propagation::row_share(std::size_t node) const {
  const EdgeId first = graph_.offsets[node], last = graph_.offsets[node + 1];
  if (weights_.empty()) return 1 / static_cast<float>(last - first);
  double sum = 0;
  for (EdgeId e = first; e < last; ++e) sum += static_cast<double>(weights_[e]);
  return static_cast<float>(sum > 0 ? 1 / sum : 0);
}

void Propagation::multiply(MatrixView<const float> x, MatrixView<const float> features,
                           MatrixView<float> out) const {
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
    const bool means = roots_.empty() && weights_.empty();
    for (std::size_t v = begin; v < end && !means; ++v) {
      for_each_edge(v, [](NodeId, float weight) { weights.push_back(weight); });
    }
    const Block block{.targets = static_cast<std::uint32_t>(end - begin),
                      .sources = static_cast<std::uint32_t>(x.rows),
                      .offsets = offsets.data(),
                      .neighbors = graph_.neighbors.data() + first};
    const MatrixView<float> to = out.rows_between(begin, end);
    rows.aggregate(block, 0, to.rows, {.weights = means ? nullptr : weights.data(), .mean = means},
                   to);
    for (std::size_t v = begin; v < end && !roots_.empty(); ++v) {
      kernels().axpy(own(v), x.row(v), to.row(v - begin), to.cols);
    }
    for (std::size_t v = begin; v < end && alpha_ > 0; ++v) {
      kernels().axpy(alpha_, features.row(v), to.row(v - begin), to.cols);
    }
  });
}

}  // namespace frugal::gnn
