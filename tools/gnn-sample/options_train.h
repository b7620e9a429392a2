#pragma once
#include "libcore/cli/tool.h"
#include "tools/gnn-sample/train.h"

namespace frugal::gnn {

struct TrainCommandOptions {
  TrainOptions train;
  TrainerOptions trainer;

  TrainCommandOptions() { train.open_activation = true; }
};

Command train_command(TrainCommandOptions& options);

}  // namespace frugal::gnn
