#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/graph/csr.h"
#include "tools/tgn-train/data/event_times.h"

namespace frugal::tgn {

/// The last partners of each node, in events of either role, and the number of its events. Takes 8
/// bytes for each place and 4 for each node.
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
  /// Raises the number of nodes to `num_nodes`.
  void grow(std::size_t num_nodes) {
    Array<Partner> grown(places_ * num_nodes);
    std::copy(partners_.begin(), partners_.end(), grown.begin());
    partners_ = std::move(grown);
    counts_.resize(num_nodes);
  }
  /// Visits the events of the stored partners; visit() may renumber them.
  template <class Visit>
  void for_each_event(const Visit& visit) {
    for (std::size_t v = 0; v < counts_.size(); ++v) {
      Partner* const ring = partners_.data() + v * places_;
      const std::size_t size = std::min<std::size_t>(counts_[v], places_);
      for (std::size_t i = 0; i < size; ++i) visit(ring[i].event);
    }
  }
  void reset() { std::fill(counts_.begin(), counts_.end(), 0); }

  std::size_t places() const { return places_; }
  /// Number of the node's events so far.
  std::uint32_t count(NodeId node) const { return counts_[node]; }
  /// Stored partners of a node, the last one first.
  class Ring {
   public:
    std::size_t size() const { return size_; }
    const Partner& operator[](std::size_t age) const {
      return first_[age <= newest_ ? newest_ - age : newest_ + size_ - age];
    }

   private:
    friend PartnerRings;
    const Partner* first_ = nullptr;
    std::size_t size_ = 0, newest_ = 0;
  };
  Ring of(NodeId node) const {
    Ring ring;
    ring.first_ = partners_.data() + node * places_;
    ring.size_ = std::min<std::size_t>(counts_[node], places_);
    if (ring.size_ > 0) ring.newest_ = (counts_[node] - 1) % static_cast<std::uint32_t>(places_);
    return ring;
  }
  void prefetch(NodeId node) const {
    __builtin_prefetch(partners_.data() + node * places_);
    __builtin_prefetch(counts_.data() + node);
  }
  /// The whole state, to be copied and restored.
  std::array<std::span<std::byte>, 2> pieces() {
    return {std::as_writable_bytes(std::span(partners_.data(), partners_.size())),
            std::as_writable_bytes(std::span(counts_))};
  }
  /// True if all partners are below num_nodes and all events below num_events.
  bool is_within(NodeId num_nodes, EventId num_events) const {
    return std::all_of(partners_.begin(), partners_.end(), [&](const Partner& partner) {
      return partner.node < num_nodes && partner.event < num_events;
    });
  }

 private:
  std::size_t places_;
  Array<Partner> partners_;            ///< [nodes, places]
  std::vector<std::uint32_t> counts_;  ///< [nodes]; a node has fewer than 2^32 events
};

}  // namespace frugal::tgn
