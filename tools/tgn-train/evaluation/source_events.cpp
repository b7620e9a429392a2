#include "tools/tgn-train/evaluation/source_events.h"

#include <algorithm>

namespace frugal::tgn {

SourceEvents::SourceEvents(const EventView& events)
    : view_(events), offsets_(events.num_nodes + 1), events_(events.size(), uninitialized) {
  // Counts are moved two places on, so that filling the rows leaves their beginnings behind.
  const auto place = [&](NodeId source) { return std::size_t{source} + 2; };
  for (const NodeId source : events.sources) {
    if (place(source) <= events.num_nodes) ++offsets_[place(source)];
  }
  for (std::size_t i = 2; i <= events.num_nodes; ++i) offsets_[i] += offsets_[i - 1];
  for (EventId event = 0; event < events.size(); ++event) {
    events_[offsets_[events.sources[event] + 1]++] = event;
  }
}

void SourceEvents::destinations_at_time_of(EventId event, std::vector<NodeId>& destinations) const {
  destinations.clear();
  const std::span<const EventId> events = of(view_.sources[event]);
  const EventId first = view_.times.first_at_time_of(event);
  for (auto at = std::lower_bound(events.begin(), events.end(), first);
       at != events.end() && view_.at_same_time(event, *at); ++at) {
    destinations.push_back(view_.destinations[*at]);
  }
  std::sort(destinations.begin(), destinations.end());
  destinations.erase(std::unique(destinations.begin(), destinations.end()), destinations.end());
}

}  // namespace frugal::tgn
