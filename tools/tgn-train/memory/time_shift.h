#pragma once
#include <array>
#include <functional>

#include "tools/tgn-train/data/event_view.h"

namespace frugal::tgn {

/// What QueryRows::since is shifted and divided by: mean and standard deviation of the times
/// between events of a node, of sources and of destinations.
struct TimeShift {
  std::array<double, 2> mean = {0, 0}, deviation = {1, 1};
};
/// Of the events that `counts` says.
TimeShift measure_time_shift(const EventView& events, const std::function<bool(EventId)>& counts);

}  // namespace frugal::tgn
