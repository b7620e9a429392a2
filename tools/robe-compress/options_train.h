#pragma once
#include "tools/robe-compress/options_training.h"

namespace frugal {

Command train_command(TrainCommandOptions& options);

}  // namespace frugal
