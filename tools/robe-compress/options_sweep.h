#pragma once
#include "tools/robe-compress/options_train.h"
#include "tools/robe-compress/sweep.h"

namespace frugal::robe {

struct SweepCommandOptions {
  SweepOptions sweep;
  TrainCommandOptions train;  ///< of every run
};

Command sweep_command(SweepCommandOptions& options);

}  // namespace frugal::robe
