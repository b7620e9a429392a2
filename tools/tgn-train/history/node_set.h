#pragma once
#include <bit>
#include <cstdint>
#include <vector>

#include "libcore/graph/csr.h"

namespace frugal::tgn {

/// A small set of nodes, by open addressing. It is at most a quarter full, so that a missing node
/// is usually detected at the first slot.
class NodeSet {
 public:
  /// size: most nodes, all below 2^32 - 1.
  explicit NodeSet(std::size_t size = 0)
      : slots_(std::bit_ceil(4 * size + 2)), shift_(64 - std::countr_zero(slots_.size())) {}

  /// False if the node was there.
  bool insert(NodeId node) {
    NodeId& slot = slots_[find(node)];
    if (slot != 0) return false;
    slot = node + 1;
    return true;
  }
  bool contains(NodeId node) const { return slots_[find(node)] != 0; }

 private:
  /// Slot of the node, or the free slot where it belongs.
  std::size_t find(NodeId node) const {
    std::size_t i = node * std::uint64_t{0x9e3779b97f4a7c15} >> shift_;
    while (slots_[i] != 0 && slots_[i] != node + 1) {
      i = (i + 1) & (slots_.size() - 1);
    }
    return i;
  }

  std::vector<NodeId> slots_;  ///< node + 1, or 0; size: a power of two
  int shift_;
};

}  // namespace frugal::tgn
