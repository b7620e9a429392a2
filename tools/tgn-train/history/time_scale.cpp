#include "tools/tgn-train/history/time_scale.h"

#include <cmath>

#include "libcore/base/array.h"

namespace frugal::tgn {

double measure_time_unit(const EventView& events, const std::function<bool(EventId)>& counts) {
  Array<EventId> last(events.num_nodes, kNoEvent);
  EventId first_event = kNoEvent, last_event = kNoEvent;
  double sum = 0, gaps = 0;
  for (EventId event = 0; event < events.size(); ++event) {
    if (!counts(event)) continue;
    if (first_event == kNoEvent) first_event = event;
    last_event = event;
    for (const NodeId node : {events.sources[event], events.destinations[event]}) {
      if (last[node] != kNoEvent) {
        sum += events.times.between(last[node], event);
        ++gaps;
      }
      last[node] = event;
    }
  }
  if (first_event == kNoEvent) return 1;
  const double duration = events.times.between(first_event, last_event);
  if (duration == 0) return 1;
  return sum == 0 ? duration : duration / std::exp2(std::round(std::log2(duration / (sum / gaps))));
}

void measure_since(const EventView& events, const std::function<bool(EventId)>& counts,
                   TimeScale& scale) {
  Array<EventId> last(events.num_nodes, kNoEvent);
  std::array<double, 2> sum{}, squares{};
  double n = 0;
  for (EventId event = 0; event < events.size(); ++event) {
    if (!counts(event)) continue;
    const NodeId nodes[2] = {events.sources[event], events.destinations[event]};
    for (std::size_t k = 0; k < 2; ++k) {
      const double since = scale.scaled(events.times.between(last[nodes[k]], event));
      sum[k] += since;
      squares[k] += since * since;
    }
    last[nodes[0]] = last[nodes[1]] = event;
    ++n;
  }
  for (std::size_t k = 0; k < 2 && n != 0; ++k) {
    scale.mean[k] = sum[k] / n;
    const double variance = squares[k] / n - scale.mean[k] * scale.mean[k];
    scale.deviation[k] = variance > 0 ? std::sqrt(variance) : 1;
  }
}

}  // namespace frugal::tgn
