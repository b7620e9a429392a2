#pragma once
#include "tools/tgn-train/options_train.h"

namespace frugal::tgn {

/// train --task node-label.
ExitStatus run_label_train(const TrainCommandOptions& options, Run& run);

}  // namespace frugal::tgn
