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
