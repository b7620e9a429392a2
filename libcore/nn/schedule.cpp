#include "libcore/nn/schedule.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal {
namespace {

constexpr std::array<std::string_view, 3> kScheduleNames = {"constant", "linear", "cosine"};

}  // namespace

std::vector<std::string> schedule_names() { return {kScheduleNames.begin(), kScheduleNames.end()}; }

ScheduleKind schedule_from_name(std::string_view name) {
  const auto found = std::find(kScheduleNames.begin(), kScheduleNames.end(), name);
  if (found == kScheduleNames.end()) {
    fail(ExitStatus::usage, "unknown schedule '", name, "', expected ", joined(schedule_names()));
  }
  return static_cast<ScheduleKind>(found - kScheduleNames.begin());
}

std::string_view schedule_name(ScheduleKind kind) {
  return kScheduleNames[static_cast<std::size_t>(kind)];
}

double Schedule::rate(std::uint64_t step) const {
  if (step < warmup_steps) {
    return peak * static_cast<double>(step + 1) / static_cast<double>(warmup_steps);
  }
  if (kind == ScheduleKind::constant) return peak;
  const std::uint64_t falling =
      std::max<std::uint64_t>(1, total_steps - std::min(warmup_steps, total_steps));
  const double done =
      std::min(1.0, static_cast<double>(step - warmup_steps) / static_cast<double>(falling));
  if (kind == ScheduleKind::linear) return peak * (1 - done);
  return peak * 0.5 * (1 + std::cos(std::numbers::pi * done));
}

Schedule Schedule::over(std::uint64_t steps, double warm_up) const {
  return {kind, peak, static_cast<std::uint64_t>(warm_up * static_cast<double>(steps)), steps};
}

}  // namespace frugal
