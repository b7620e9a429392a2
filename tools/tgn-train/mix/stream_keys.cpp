#include "tools/tgn-train/mix/stream_keys.h"

#include <vector>

namespace frugal::tgn {

std::uint64_t StreamKeys::most_bytes(std::span<const NodeId> sources,
                                     std::span<const NodeId> destinations, std::size_t num_nodes) {
  std::vector<std::uint64_t> sent(num_nodes), received(num_nodes);
  for (const NodeId node : sources) ++sent[node];
  for (const NodeId node : destinations) ++received[node];
  std::uint64_t bytes = 0;
  for (std::size_t v = 0; v < num_nodes; ++v) bytes += LinkKeys::most_bytes(sent[v], received[v]);
  return bytes;
}

std::uint64_t StreamKeys::most_bytes(const EventView& events) {
  const std::uint64_t plain = most_bytes(events.sources, events.destinations, events.num_nodes);
  if (events.types.empty()) return plain;
  const TypedEvents typed(events);
  return plain + most_bytes(typed.sources, typed.destinations, typed.nodes.size());
}

StreamKeys::StreamKeys(const EventView& events, double time_unit)
    : events_(events), time_unit_(time_unit), keys_(before_all()) {}

MixEvent StreamKeys::event_of(EventId event) const {
  return {events_.sources[event], events_.destinations[event],
          typed() ? events_.types[event] : std::uint16_t{0}, events_.times.between(0, event)};
}

void StreamKeys::go_to(EventId event) {
  if (next_ > event && kept_ && kept_at_ <= event) {
    keys_ = *kept_;
    next_ = kept_at_;
  }
  if (next_ > event) {
    keys_ = before_all();
    next_ = 0;
  }
  for (; next_ < event; ++next_) keys_.add(event_of(next_));
}

void StreamKeys::keep(EventId event) {
  go_to(event);
  if (kept_ && kept_at_ == event) return;
  kept_ = keys_;
  kept_at_ = event;
}

void StreamKeys::keys(EventId event, std::span<const NodeId> candidates, std::vector<float>& keys) {
  go_to(event);
  keys_.keys(event_of(event), candidates, keys);
}

Shortlist StreamKeys::shortlist(const KeyMix& mix, EventId event,
                                std::span<const NodeId> candidates, std::size_t count) {
  go_to(event);
  return keys_.shortlist(mix, event_of(event), candidates, count);
}

void StreamKeys::likely(EventId event, std::vector<NodeId>& nodes) {
  go_to(event);
  keys_.likely(event_of(event), nodes);
}

}  // namespace frugal::tgn
