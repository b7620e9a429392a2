#pragma once
#include "libcore/base/trainer_settings.h"

namespace frugal {

/// When a training shows its progress, writes checkpoints and ends: by the clock and by signals
/// (libcore/system/signals.h). Its time begins with the object.
class RunClock {
 public:
  explicit RunClock(const TrainerSettings& settings);

  double seconds() const;  ///< since the beginning
  /// Whether that share of the time budget is used up; never without one.
  bool out_of_time(double share = 1) const;

  bool has_budget() const;

  /// Several times a second, not more often: terminals are slow.
  bool progress_is_due() const;
  void progress_was_shown();

  /// After --checkpoint-every, or because a signal asks for it.
  bool checkpoint_is_due();
  void checkpoint_was_written();

  /// Asked after every batch: is there anything that the run must see to?
  bool interrupts();

 private:
  double began_;
  double time_budget_, checkpoint_seconds_;
  double shown_ = 0, written_;
  bool checkpoint_asked_ = false;
};

}  // namespace frugal
