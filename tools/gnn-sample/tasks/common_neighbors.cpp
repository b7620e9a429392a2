#include "tools/gnn-sample/tasks/common_neighbors.h"

#include <algorithm>
#include <cmath>

namespace frugal::gnn {

AdamicAdar::AdamicAdar(const CsrView& graph)
    : graph_(graph),
      weights_(graph.num_nodes()),
      marks_(graph.num_nodes()),
      counted_(graph.num_nodes()) {
  for (std::size_t v = 0; v < graph.num_nodes(); ++v) {
    const auto node = static_cast<NodeId>(v);
    std::size_t degree = 0;
    ++num_pairs_;
    for (const NodeId u : graph.row(node)) {
      if (u != node && counted_[u] != num_pairs_) ++degree;
      counted_[u] = num_pairs_;
    }
    weights_[v] = 1 / std::log(static_cast<float>(std::max<std::size_t>(2, degree)));
  }
  if (graph.num_nodes() != 0) take_source(0);
}

/// Numbers begin anew where 32 bits end.
void AdamicAdar::take_source(NodeId source) {
  source_ = source;
  if (++num_sources_ == 0) {
    std::ranges::fill(marks_, 0);
    num_sources_ = 1;
  }
  for (const NodeId v : graph_.row(source)) marks_[v] = num_sources_;
}

float AdamicAdar::operator()(NodeId source, NodeId target) {
  if (source != source_) take_source(source);
  if (++num_pairs_ == 0) {
    std::ranges::fill(counted_, 0);
    num_pairs_ = 1;
  }
  float sum = 0;
  for (const NodeId v : graph_.row(target)) {
    if (marks_[v] != num_sources_ || counted_[v] == num_pairs_) continue;
    counted_[v] = num_pairs_;
    if (v != source && v != target) sum += weights_[v];
  }
  return sum;
}

}  // namespace frugal::gnn
