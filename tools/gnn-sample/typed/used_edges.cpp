#include "tools/gnn-sample/typed/used_edges.h"

namespace frugal::gnn {

void UsedEdges::assign(const Block& whole) {
  targets_.clear();
  sources_.clear();
  offsets_.clear();
  const std::uint32_t first = whole.targets == 0 ? 0 : whole.offsets[0], edges = whole.num_edges();
  for (std::uint32_t t = 0; t < whole.targets; ++t) {
    if (whole.degree(t) == 0) continue;
    targets_.push_back(t);
    offsets_.push_back(whole.offsets[t] - first);
  }
  offsets_.push_back(edges);
  numbers_.assign(whole.sources, 0);
  neighbors_.resize(edges);
  for (std::uint32_t e = 0; e < edges; ++e) numbers_[whole.neighbors[first + e]] = 1;
  for (std::uint32_t s = 0; s < whole.sources; ++s) {
    if (numbers_[s] == 0) continue;
    numbers_[s] = static_cast<std::uint32_t>(sources_.size());
    sources_.push_back(s);
  }
  for (std::uint32_t e = 0; e < edges; ++e) {
    neighbors_[e] = numbers_[whole.neighbors[first + e]];
  }
  block_ = {static_cast<std::uint32_t>(targets_.size()),
            static_cast<std::uint32_t>(sources_.size()), offsets_.data(), neighbors_.data()};
  if (whole.weights == nullptr) return;
  weights_.assign(whole.weights + first, whole.weights + first + edges);
  block_.weights = weights_.data();
}

}  // namespace frugal::gnn
