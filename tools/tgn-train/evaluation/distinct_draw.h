#pragma once
#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "libcore/base/rng.h"
#include "libcore/graph/csr.h"

namespace frugal::tgn {

/// Draws nodes uniformly from a set, without some of them.
class DistinctDraw {
 public:
  /// The nodes of `pool` that are in neither of two sets; all ascending, each node once.
  DistinctDraw(std::span<const NodeId> pool, std::span<const NodeId> without,
               std::span<const NodeId> nor = {})
      : pool_(pool), without_{without, nor} {}

  /// Appends `count` nodes to `nodes`, no two the same if there are as many; else each draw is from
  /// all. Nothing where there is none. Returns how many were appended.
  std::size_t draw(std::size_t count, Rng& rng, std::vector<NodeId>& nodes) const;
  /// Appends as many as there are, at most `count`, no two the same.
  std::size_t draw_at_most(std::size_t count, Rng& rng, std::vector<NodeId>& nodes) const;
  /// All of them, ascending.
  std::vector<NodeId> all() const;

 private:
  bool excluded(NodeId node) const {
    return std::binary_search(without_[0].begin(), without_[0].end(), node) ||
           std::binary_search(without_[1].begin(), without_[1].end(), node);
  }
  /// Whether most of what is drawn from the pool will do, so that nothing need be listed.
  bool is_roomy(std::size_t count) const {
    return pool_.size() / 2 >= count + without_[0].size() + without_[1].size();
  }
  void draw_by_rejection(std::size_t count, Rng& rng, std::vector<NodeId>& nodes) const;

  std::span<const NodeId> pool_;
  std::array<std::span<const NodeId>, 2> without_;
};

}  // namespace frugal::tgn
