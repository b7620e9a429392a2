#include "tools/tgn-train/history/common_neighbors.h"

#include <algorithm>

namespace frugal::tgn {
namespace {

using Far = Surroundings::Far;

NodeId node_of(NodeId node) { return node; }
NodeId node_of(const Far& far) { return far.node; }
bool avoids(NodeId, NodeId) { return true; }
/// True if a walk to the node does not pass `end`.
bool avoids(const Far& far, NodeId end) { return far.via != end; }

/// Merges two ascending lists.
template <class OfSource, class OfDestination>
void merge_lists(std::span<const OfSource> a, std::span<const OfDestination> b, NodeId source,
                 NodeId destination, std::vector<NodeId>& nodes) {
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const NodeId x = node_of(a[i]), y = node_of(b[j]);
    if (x == y && x != source && x != destination && avoids(a[i], destination) &&
        avoids(b[j], source)) {
      nodes.push_back(x);
    }
    i += x <= y ? 1 : 0;
    j += y <= x ? 1 : 0;
  }
}

}  // namespace

void Surroundings::gather(const TemporalNeighbors& neighbors, NodeId node, EventId limit,
                          std::size_t count) {
  const auto last = [&](NodeId of) {
    const auto found = neighbors.before(of, limit);
    return found.last(std::min(found.size(), count));
  };
  node_ = node;
  partners_.clear();
  for (const TemporalNeighbor& partner : last(node)) {
    if (partner.node != node) partners_.push_back(partner.node);
  }
  std::sort(partners_.begin(), partners_.end());
  partners_.erase(std::unique(partners_.begin(), partners_.end()), partners_.end());
  steps_.clear();
  for (const NodeId via : partners_) {
    for (const TemporalNeighbor& partner : last(via)) {
      if (partner.node == node || partner.node == via) continue;
      steps_.push_back(std::uint64_t{partner.node} << 32 | via);
    }
  }
  std::sort(steps_.begin(), steps_.end());
  steps_.erase(std::unique(steps_.begin(), steps_.end()), steps_.end());
  far_.clear();
  for (const std::uint64_t step : steps_) {
    const auto reached = static_cast<NodeId>(step >> 32), via = static_cast<NodeId>(step);
    if (!far_.empty() && far_.back().node == reached) {
      far_.back().via = kSeveral;
    } else {
      far_.push_back({reached, via});
    }
  }
}

bool Surroundings::has_partner(NodeId other) const {
  return std::binary_search(partners_.begin(), partners_.end(), other);
}

void find_common(const Surroundings& source, const Surroundings& destination, CommonHops hops,
                 std::vector<NodeId>& nodes) {
  nodes.clear();
  const NodeId u = source.node(), v = destination.node();
  switch (hops) {
    case CommonHops::one_one:
      return merge_lists(source.partners(), destination.partners(), u, v, nodes);
    case CommonHops::one_two: return merge_lists(source.partners(), destination.far(), u, v, nodes);
    case CommonHops::two_one: return merge_lists(source.far(), destination.partners(), u, v, nodes);
    case CommonHops::two_two: return merge_lists(source.far(), destination.far(), u, v, nodes);
  }
}

}  // namespace frugal::tgn
