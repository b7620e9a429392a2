#include "tools/gnn-sample/tasks/neighborhood_chunks.h"

namespace frugal::gnn {

void NeighborhoodChunks::begin(std::span<const NodeId> nodes) {
  targets_ = nodes;
  next_ = 0;
}

bool NeighborhoodChunks::next(GnnBatch& batch) {
  const std::size_t count = targets_.empty() ? graph_.num_nodes() : targets_.size();
  if (next_ == count) return false;
  const auto target = [&](std::size_t i) {
    return targets_.empty() ? static_cast<NodeId>(i) : targets_[i];
  };
  first_ = next_;
  std::size_t edges = 0;
  nodes_.clear();
  while (next_ < count && next_ - first_ < kMaxTargets) {
    const NodeId v = target(next_);
    if (next_ != first_ && edges + graph_.degree(v) > max_edges_) break;
    edges += graph_.degree(v);
    // A node that is asked for twice is two targets.
    places_[v] = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back(v);
    ++next_;
  }
  const std::size_t targets = nodes_.size();
  add_edges(targets);
  add_degrees();
  block_ = {static_cast<std::uint32_t>(targets),
            static_cast<std::uint32_t>(nodes_.size()),
            offsets_.data(),
            neighbors_.data(),
            data_.dim == 0 ? nullptr : positions_.data(),
            data_.weights.empty() ? nullptr : weights_.data(),
            data_.features.data(),
            data_.dim};
  batch.blocks = {&block_, 1};
  batch.nodes = nodes_;
  batch.degrees = degrees_;
  batch.weighted_degrees = weighted_degrees_;
  return true;
}

/// Adds the edges into the first nodes, and new sources to the nodes.
void NeighborhoodChunks::add_edges(std::size_t targets) {
  offsets_.assign(1, 0);
  neighbors_.clear();
  weights_.clear();
  positions_.clear();
  for (std::size_t t = 0; t < targets; ++t) {
    const NodeId v = nodes_[t];
    for (const NodeId u : graph_.row(v)) neighbors_.push_back(place(u));
    offsets_.push_back(static_cast<std::uint32_t>(neighbors_.size()));
    for (EdgeId e = graph_.offsets[v]; data_.dim != 0 && e < graph_.offsets[v + 1]; ++e) {
      positions_.push_back(e);
    }
    if (data_.weights.empty()) continue;
    const auto weights = data_.weights.subspan(graph_.offsets[v], graph_.degree(v));
    weights_.insert(weights_.end(), weights.begin(), weights.end());
  }
}

void NeighborhoodChunks::add_degrees() {
  degrees_.clear();
  weighted_degrees_.clear();
  for (const NodeId v : nodes_) {
    degrees_.push_back(data_.degrees[v]);
    if (!data_.weighted_degrees.empty()) weighted_degrees_.push_back(data_.weighted_degrees[v]);
  }
}

std::uint32_t NeighborhoodChunks::place(NodeId node) {
  const std::uint32_t known = places_[node];
  if (known < nodes_.size() && nodes_[known] == node) return known;
  places_[node] = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back(node);
  return places_[node];
}

}  // namespace frugal::gnn
