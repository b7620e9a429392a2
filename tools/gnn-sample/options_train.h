#pragma once
#include <string>

#include "libcore/cli/tool.h"
#include "tools/gnn-sample/train.h"

namespace frugal::gnn {

struct TrainCommandOptions {
  TrainOptions train;
  TrainerOptions trainer;
  std::string model = "sage";
  std::string aggregate = "mean";
  std::string activation = "auto";
  std::string residence = "auto";
};

Command train_command(TrainCommandOptions& options);

}  // namespace frugal::gnn
