#include "tools/tgn-train/data/event_times.h"

#include <algorithm>

namespace frugal::tgn {
namespace {

template <class T>
EventId first_equal(std::span<const T> times, EventId event) {
  // Runs are short as a rule: gallop back, then search between the last two steps.
  std::size_t step = 1, later = event;
  while (step <= later && times[later - step] == times[event]) {
    later -= step;
    step *= 2;
  }
  const std::size_t earlier = step <= later ? later - step : 0;
  const auto begin = times.begin();
  return static_cast<EventId>(std::lower_bound(begin + static_cast<std::ptrdiff_t>(earlier),
                                               begin + static_cast<std::ptrdiff_t>(later),
                                               times[event]) -
                              begin);
}

}  // namespace

EventId EventTimes::first_not_before(EventTime time) const {
  const auto search = [](auto times, auto value) {
    return static_cast<EventId>(std::lower_bound(times.begin(), times.end(), value) -
                                times.begin());
  };
  return is_whole() ? search(whole_, time.whole) : search(real_, time.real);
}

EventId EventTimes::first_at_time_of(EventId event) const {
  return is_whole() ? first_equal(whole_, event) : first_equal(real_, event);
}

}  // namespace frugal::tgn
