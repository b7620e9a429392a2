#include "tools/tgn-train/mix/stream_keys.h"

namespace frugal::tgn {

StreamKeys::StreamKeys(const EventView& events, double time_unit)
    : events_(events), time_unit_(time_unit), keys_(time_unit, events.num_nodes) {}

void StreamKeys::go_to(EventId event) {
  if (next_ > event && kept_ && kept_at_ <= event) {
    keys_ = *kept_;
    next_ = kept_at_;
  }
  if (next_ > event) {
    keys_ = LinkKeys(time_unit_, events_.num_nodes);
    next_ = 0;
  }
  for (; next_ < event; ++next_) {
    keys_.add(events_.sources[next_], events_.destinations[next_], time_of(next_));
  }
}

void StreamKeys::keep(EventId event) {
  go_to(event);
  if (kept_ && kept_at_ == event) return;
  kept_ = keys_;
  kept_at_ = event;
}

void StreamKeys::keys(EventId event, std::span<const NodeId> candidates, std::vector<float>& keys) {
  go_to(event);
  keys_.keys(events_.sources[event], candidates, time_of(event), keys);
}

void StreamKeys::likely(EventId event, std::vector<NodeId>& nodes) {
  go_to(event);
  keys_.likely(events_.sources[event], time_of(event), nodes);
}

}  // namespace frugal::tgn
