#pragma once
#include "tools/robe-compress/options_training.h"

namespace frugal::robe {

Command train_command(TrainCommandOptions& options);

}  // namespace frugal::robe
