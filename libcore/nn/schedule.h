#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace frugal {

enum class ScheduleKind { constant, linear, cosine };

/// Names that schedule_from_name() accepts: "constant", "linear", "cosine".
std::vector<std::string> schedule_names();
/// Fails (usage) on an unknown name and lists the known ones.
ScheduleKind schedule_from_name(std::string_view name);
std::string_view schedule_name(ScheduleKind kind);

/// Learning-rate schedule over the steps of a run. The rate rises linearly from 0 during
/// `warmup_steps`. It then stays constant, or falls to 0 at `total_steps`, linearly or along half a
/// cosine (Loshchilov, Hutter, ICLR 2017).
struct Schedule {
  ScheduleKind kind = ScheduleKind::linear;
  double peak = 0.1;
  std::uint64_t warmup_steps = 0;
  std::uint64_t total_steps = 1;

  /// Learning rate at step `step`, counted from 0. Positive for every step of a run without
  /// warm-up.
  double rate(std::uint64_t step) const;
  /// A copy with `steps` steps in total, of which the share `warm_up` is warm-up.
  Schedule over(std::uint64_t steps, double warm_up) const;
};

}  // namespace frugal
