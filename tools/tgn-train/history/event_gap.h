#pragma once
#include "tools/tgn-train/data/event_times.h"

namespace frugal::tgn {

/// Mean time between neighbouring events of [begin, end); 1 where all have the same time.
inline double mean_gap(const EventTimes& times, EventId begin, EventId end) {
  const double duration = begin + 1 < end ? times.between(begin, end - 1) : 0;
  return duration > 0 ? duration / static_cast<double>(end - 1 - begin) : 1;
}

}  // namespace frugal::tgn
