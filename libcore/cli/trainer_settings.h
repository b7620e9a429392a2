#pragma once
#include <cstdint>
#include <string>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/cli/tool.h"
#include "libcore/system/signals.h"

namespace frugal {

/// Sets what the options of every trainer have, under the same names in each, from the common
/// options and those of trainers. Fails (usage) where --resume has no checkpoint.
template <class TrainOptions>
void set_trainer_options(const TrainerOptions& trainer, const Run& run, TrainOptions& options) {
  options.if_changed = run.options().if_changed;
  options.seed = run.options().seed;
  options.checkpoint = trainer.checkpoint;
  options.checkpoint_seconds = parse_seconds(trainer.checkpoint_every).value_or(300);
  options.resume = trainer.resume;
  options.time_budget = parse_seconds(trainer.time_budget).value_or(0);
  options.config = run.result_config();
  options.history_entry = run.history_entry();
  if (options.resume && options.checkpoint.empty()) {
    fail(ExitStatus::usage, "--resume needs --checkpoint FILE");
  }
}

/// Ends a training that a signal stopped ("stopped at step 7"), saying how to go on.
[[noreturn]] inline void fail_stopped(const std::string& stopped, const std::string& checkpoint) {
  fail(stop_status(!checkpoint.empty()), stopped,
       checkpoint.empty() ? "; without --checkpoint the work is lost"
                          : "; go on with --resume and --checkpoint " + checkpoint);
}

}  // namespace frugal
