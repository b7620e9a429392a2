#pragma once
#include <span>
#include <vector>

#include "libcore/base/array.h"
#include "tools/tgn-train/data/event_view.h"

namespace frugal::tgn {

/// The events of each source: 4 bytes an event, 8 a node.
class SourceEvents {
 public:
  explicit SourceEvents(const EventView& events);

  /// In their order.
  std::span<const EventId> of(NodeId source) const {
    return {events_.data() + offsets_[source], offsets_[source + 1] - offsets_[source]};
  }
  /// The destinations that the source of `event` meets at its time, ascending, each once.
  void destinations_at_time_of(EventId event, std::vector<NodeId>& destinations) const;

  const EventView& view() const { return view_; }

 private:
  EventView view_;
  Array<EdgeId> offsets_;  ///< [nodes + 1]
  Array<EventId> events_;
};

}  // namespace frugal::tgn
