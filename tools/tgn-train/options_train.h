#pragma once
#include "libcore/cli/tool.h"
#include "tools/tgn-train/train_fields.h"

namespace frugal::tgn {

struct TrainCommandOptions {
  TrainOptions train = undecided_options();
  TrainerOptions trainer;
};

/// What --precision asks for.
Precision network_precision(const Run& run);

/// With all that the command line decides. Fails (usage) where options contradict each other.
TrainOptions complete_options(const TrainCommandOptions& options, const Run& run);

Command train_command(TrainCommandOptions& options);

}  // namespace frugal::tgn
