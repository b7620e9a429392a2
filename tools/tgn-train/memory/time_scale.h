#pragma once
#include <array>
#include <functional>

#include "tools/tgn-train/data/event_view.h"

namespace frugal::tgn {

/// Scale of the times that a network is given, whatever unit the stream counts them in.
struct TimeScale {
  /// Times between events are told in this one.
  double unit = 1;
  /// Normalisation of QueryRows::since, (since - mean) / deviation: mean and deviation of the times
  /// between events of a node, of sources and of destinations.
  std::array<double, 2> mean = {0, 0}, deviation = {1, 1};
};

/// Returns the stream's own unit of time, by the events for which counts(event) is true: their
/// duration over the power of two that comes nearest to the mean time between a node's events.
/// Events of one time are 0 apart and count, too: the network is given these times as well.
/// Quotients by the unit are the same to the last bit in seconds and in nanoseconds. Returns 1 if
/// all events have one time.
double measure_time_unit(const EventView& events, const std::function<bool(EventId)>& counts);

/// Mean and deviation of those events, in that unit.
TimeScale measure_time_scale(const EventView& events, const std::function<bool(EventId)>& counts,
                             double unit);

}  // namespace frugal::tgn
