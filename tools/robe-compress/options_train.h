#pragma once
#include "libcore/cli/tool.h"
#include "tools/robe-compress/train.h"

namespace frugal::robe {

struct TrainCommandOptions {
  TrainOptions train;
  TrainerOptions trainer;

  TrainCommandOptions() { train.find_storage = true; }
};

/// What the common options and those of trainers say, in the terms of train().
TrainOptions complete_options(const TrainCommandOptions& options, const Run& run);

Command train_command(TrainCommandOptions& options);

}  // namespace frugal::robe
