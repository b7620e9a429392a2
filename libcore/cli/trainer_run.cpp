#include "libcore/cli/trainer_run.h"

#include "libcore/base/error.h"
#include "libcore/system/signals.h"

namespace frugal {

TrainerSettings trainer_settings(const TrainerOptions& trainer, const Run& run) {
  TrainerSettings settings;
  settings.if_changed = run.options().if_changed;
  settings.seed = run.options().seed;
  settings.device = run.options().device;
  settings.checkpoint = trainer.checkpoint;
  settings.checkpoint_seconds = trainer.checkpoint_every;
  settings.resume = trainer.resume;
  settings.time_budget = trainer.time_budget;
  settings.config = run.result_config();
  settings.history_entry = run.history_entry();
  return settings;
}

void fail_stopped(const std::string& stopped, const std::string& checkpoint) {
  fail(stop_status(!checkpoint.empty()), stopped,
       checkpoint.empty() ? "; without --checkpoint the work is lost"
                          : "; go on with --resume and --checkpoint " + checkpoint);
}

}  // namespace frugal
