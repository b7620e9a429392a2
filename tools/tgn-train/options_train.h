#pragma once
#include "tools/tgn-train/options_network.h"

namespace frugal::tgn {

Command train_command(TrainCommandOptions& options);

}  // namespace frugal::tgn
