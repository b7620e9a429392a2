#include "libcore/train/run_clock.h"

#include <cmath>
#include <limits>

#include "libcore/system/clock.h"
#include "libcore/system/signals.h"

namespace frugal {
namespace {

constexpr double kProgressSeconds = 0.2;

}  // namespace

RunClock::RunClock(const TrainerSettings& settings)
    : began_(wall_seconds()),
      time_budget_(settings.time_budget > 0 ? settings.time_budget
                                            : std::numeric_limits<double>::infinity()),
      checkpoint_seconds_(settings.checkpoint.empty() ? std::numeric_limits<double>::infinity()
                                                      : settings.checkpoint_seconds),
      written_(began_) {}

double RunClock::seconds() const { return wall_seconds() - began_; }

bool RunClock::out_of_time(double share) const { return seconds() >= share * time_budget_; }

bool RunClock::has_budget() const { return std::isfinite(time_budget_); }

bool RunClock::progress_is_due() const { return wall_seconds() - shown_ >= kProgressSeconds; }

void RunClock::progress_was_shown() { shown_ = wall_seconds(); }

bool RunClock::checkpoint_is_due() {
  checkpoint_asked_ |= take_checkpoint_request();
  return checkpoint_asked_ || wall_seconds() - written_ >= checkpoint_seconds_;
}

void RunClock::checkpoint_was_written() {
  written_ = wall_seconds();
  checkpoint_asked_ = false;
}

bool RunClock::interrupts() {
  return checkpoint_is_due() || stop_requested() || out_of_time() || progress_is_due();
}

}  // namespace frugal
