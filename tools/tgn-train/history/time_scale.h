#pragma once
#include <array>
#include <cmath>
#include <functional>

#include "tools/tgn-train/data/event_view.h"

namespace frugal::tgn {

/// Scale of the times that a network reads, independent of the stream's unit.
struct TimeScale {
  /// Unit in which the network reads times between events, in the stream's unit.
  double unit = 1;
  /// Number of steps of a unit; times are rounded to whole steps. 0: they are not rounded. The
  /// smallest difference between two trainings becomes a large one, and times in days are not
  /// quite those in seconds. Rounded to steps, they are equal, and so are the weights.
  double steps = 0;
  /// Normalisation of QueryRows::since, (since - mean) / deviation: mean and deviation of the times
  /// between events of a node, of sources and of destinations.
  std::array<double, 2> mean = {0, 0}, deviation = {1, 1};

  /// True without a unit, as in files of frugal 1.0.0: the network reads the stream's own times.
  bool is_raw() const { return unit == 1 && steps == 0; }
  /// Converts a time in the stream's unit to the one that the network reads.
  double scaled(double time) const {
    return steps == 0 ? time / unit : std::nearbyint(time / unit * steps) / steps;
  }
};

/// Value of `steps` for a measured unit: a step is 10 seconds if the unit is 12 hours. The fastest
/// time encoding begins as cos(t + b), so rounding changes its phase by at most 1.3e-4.
constexpr double kStepsOfUnit = 4096;

/// Returns the stream's own unit of time, by the events for which counts(event) is true: their
/// duration over the power of two that comes nearest to the mean time between a node's events.
/// Events of one time are 0 apart and count, too: the network is given these times as well.
/// Quotients by the unit are the same to the last bit in seconds and in nanoseconds. Returns 1 if
/// all events have one time.
double measure_time_unit(const EventView& events, const std::function<bool(EventId)>& counts);

/// Sets mean and deviation to those of the events for which counts(event) is true, of scaled times.
void measure_since(const EventView& events, const std::function<bool(EventId)>& counts,
                   TimeScale& scale);

}  // namespace frugal::tgn
