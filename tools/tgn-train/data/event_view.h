#pragma once
#include <cstdint>
#include <span>

#include "libcore/graph/csr.h"
#include "tools/tgn-train/data/event_times.h"
#include "tools/tgn-train/data/node_keys.h"

namespace frugal::tgn {

/// View of events in the order of their times.
struct EventView {
  std::span<const NodeId> sources, destinations;  ///< below num_nodes
  EventTimes times;
  std::size_t num_nodes = 0;
  NodeKeys keys = {};
  std::span<const std::uint16_t> types = {};  ///< type of each event; empty: none

  EventId size() const { return static_cast<EventId>(sources.size()); }
  bool at_same_time(EventId a, EventId b) const { return times.between(a, b) == 0; }
  /// First event after those at the time of `event`, at most `end`.
  EventId next_time(EventId event, EventId end) const {
    EventId next = event + 1;
    while (next < end && at_same_time(event, next)) ++next;
    return next;
  }
};

}  // namespace frugal::tgn
