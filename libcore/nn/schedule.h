#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace frugal {

enum class ScheduleKind { constant, linear, cosine };

/// "constant", "linear", "cosine": what schedule_from_name() takes.
std::vector<std::string> schedule_names();
/// Fails (usage) on a name that no schedule has, naming those there are.
ScheduleKind schedule_from_name(std::string_view name);
std::string_view schedule_name(ScheduleKind kind);

/// Learning rate over the steps of a run: rises linearly from 0 during `warmup_steps`, then stays
/// (constant) or falls to 0 at `total_steps` on a line or on half a cosine (Loshchilov, Hutter,
/// ICLR 2017).
struct Schedule {
  ScheduleKind kind = ScheduleKind::linear;
  double peak = 0.1;
  std::uint64_t warmup_steps = 0;
  std::uint64_t total_steps = 1;

  /// The rate of step `step`, counted from 0. Above 0 for every step of a run without warm-up.
  double rate(std::uint64_t step) const;
  /// The same over so many steps, of which the share `warm_up` is warm-up.
  Schedule over(std::uint64_t steps, double warm_up) const;
};

}  // namespace frugal
