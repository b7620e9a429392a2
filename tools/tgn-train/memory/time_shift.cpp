#include "tools/tgn-train/memory/time_shift.h"

#include <cmath>

#include "libcore/base/array.h"

namespace frugal::tgn {

TimeShift measure_time_shift(const EventView& events, const std::function<bool(EventId)>& counts) {
  Array<EventId> last(events.num_nodes, kNoEvent);
  std::array<double, 2> sum{}, squares{};
  double n = 0;
  for (EventId event = 0; event < events.size(); ++event) {
    if (!counts(event)) continue;
    const NodeId nodes[2] = {events.sources[event], events.destinations[event]};
    for (std::size_t k = 0; k < 2; ++k) {
      const double since = events.times.between(last[nodes[k]], event);
      sum[k] += since;
      squares[k] += since * since;
    }
    last[nodes[0]] = last[nodes[1]] = event;
    ++n;
  }
  TimeShift shift;
  for (std::size_t k = 0; k < 2 && n != 0; ++k) {
    shift.mean[k] = sum[k] / n;
    const double variance = squares[k] / n - shift.mean[k] * shift.mean[k];
    shift.deviation[k] = variance > 0 ? std::sqrt(variance) : 1;
  }
  return shift;
}

}  // namespace frugal::tgn
