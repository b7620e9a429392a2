#include "tools/tgn-train/evaluation/distinct_draw.h"

#include <utility>

#include "tools/tgn-train/history/node_set.h"

namespace frugal::tgn {
namespace {

/// Appends the first `count` of a shuffled list.
void draw_listed(std::vector<NodeId>& listed, std::size_t count, Rng& rng,
                 std::vector<NodeId>& nodes) {
  for (std::size_t i = 0; i < count; ++i) {
    std::swap(listed[i], listed[i + rng.below(listed.size() - i)]);
    nodes.push_back(listed[i]);
  }
}

}  // namespace

std::vector<NodeId> DistinctDraw::all() const {
  std::vector<NodeId> nodes;
  for (const NodeId node : pool_) {
    if (!excluded(node)) nodes.push_back(node);
  }
  return nodes;
}

void DistinctDraw::draw_by_rejection(std::size_t count, Rng& rng,
                                     std::vector<NodeId>& nodes) const {
  NodeSet drawn(count);
  for (std::size_t missing = count; missing > 0;) {
    const NodeId node = pool_[rng.below(pool_.size())];
    if (excluded(node) || !drawn.insert(node)) continue;
    nodes.push_back(node);
    --missing;
  }
}

std::size_t DistinctDraw::draw(std::size_t count, Rng& rng, std::vector<NodeId>& nodes) const {
  if (is_roomy(count)) {
    draw_by_rejection(count, rng, nodes);
    return count;
  }
  std::vector<NodeId> listed = all();
  if (listed.empty()) return 0;
  if (listed.size() >= count) {
    draw_listed(listed, count, rng, nodes);
  } else {
    for (std::size_t i = 0; i < count; ++i) nodes.push_back(listed[rng.below(listed.size())]);
  }
  return count;
}

std::size_t DistinctDraw::draw_at_most(std::size_t count, Rng& rng,
                                       std::vector<NodeId>& nodes) const {
  if (is_roomy(count)) {
    draw_by_rejection(count, rng, nodes);
    return count;
  }
  std::vector<NodeId> listed = all();
  const std::size_t size = std::min(count, listed.size());
  draw_listed(listed, size, rng, nodes);
  return size;
}

}  // namespace frugal::tgn
