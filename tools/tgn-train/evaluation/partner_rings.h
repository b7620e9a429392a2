#pragma once
#include <algorithm>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/graph/csr.h"
#include "tools/tgn-train/data/event_times.h"

namespace frugal {

/// The last partners of each node, in events of either role, and how many there were: 8 bytes a
/// place, 4 a node.
class PartnerRings {
 public:
  struct Partner {
    NodeId node = 0;
    EventId event = 0;
  };

  PartnerRings(std::size_t places, std::size_t num_nodes)
      : places_(places), partners_(places * num_nodes), counts_(num_nodes) {}

  void add(NodeId node, NodeId partner, EventId event) {
    partners_[node * places_ + counts_[node] % places_] = {partner, event};
    ++counts_[node];
  }
  void reset() { std::fill(counts_.begin(), counts_.end(), 0); }

  std::size_t places() const { return places_; }
  /// Events of the node so far.
  std::uint64_t count(NodeId node) const { return counts_[node]; }
  /// Of them those that are remembered.
  std::size_t size(NodeId node) const {
    return static_cast<std::size_t>(std::min<std::uint64_t>(counts_[node], places_));
  }
  /// The partner `age` events ago, 0 for the last; age < size(node).
  const Partner& at(NodeId node, std::size_t age) const {
    return partners_[node * places_ + (counts_[node] - 1 - age) % places_];
  }
  void prefetch(NodeId node) const {
    __builtin_prefetch(partners_.data() + node * places_);
    __builtin_prefetch(counts_.data() + node);
  }
  std::size_t num_bytes() const { return partners_.size() * sizeof(Partner) + counts_.size() * 4; }

 private:
  std::size_t places_;
  Array<Partner> partners_;            ///< [nodes, places]
  std::vector<std::uint32_t> counts_;  ///< [nodes]; a node has fewer than 2^32 events
};

}  // namespace frugal
