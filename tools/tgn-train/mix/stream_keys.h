#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tools/tgn-train/data/event_view.h"
#include "tools/tgn-train/history/link_keys.h"

namespace frugal::tgn {

/// The keys of the events of a whole stream: each sees all events strictly before its time.
class StreamKeys {
 public:
  /// Bytes that the keys of all events take at most: about 2 KB for a node with 10 events, and 13
  /// KB from 50 on. An object whose keep() is called takes twice as much.
  static std::uint64_t most_bytes(std::span<const NodeId> sources,
                                  std::span<const NodeId> destinations, std::size_t num_nodes);
  static std::uint64_t most_bytes(const EventView& events) {
    return most_bytes(events.sources, events.destinations, events.num_nodes);
  }

  /// events: must outlive the object.
  StreamKeys(const EventView& events, double time_unit);

  /// Goes to an event, and keeps a copy of the state there to come back to.
  void keep(EventId event);
  /// Sets `keys` to those of the event's source with each candidate. If a later event was asked for
  /// before, goes back to the kept event, or to the beginning of the stream.
  void keys(EventId event, std::span<const NodeId> candidates, std::vector<float>& keys);
  /// The keys' history before the event, and its time there. They go back as keys() does.
  LinkKeys& before(EventId event) {
    go_to(event);
    return keys_;
  }
  double time_of(EventId event) const { return events_.times.between(0, event); }
  /// Sets `nodes` to the likely destinations of the event: LinkKeys::likely().
  void likely(EventId event, std::vector<NodeId>& nodes);

 private:
  void go_to(EventId event);

  EventView events_;
  double time_unit_;
  LinkKeys keys_;
  EventId next_ = 0;  ///< the first event that keys_ was not given
  std::optional<LinkKeys> kept_;
  EventId kept_at_ = 0;
};

}  // namespace frugal::tgn
