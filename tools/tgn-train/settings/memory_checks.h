#pragma once
#include "tools/tgn-train/settings/train_options.h"

namespace frugal::tgn {

/// Fails (usage) if the architecture or an option goes with another --memory, or --window with
/// another --batch-size. Sets TrainOptions::window: 0 with --memory window, otherwise the number of
/// events.
void check_memory_mode(TrainOptions& options);

}  // namespace frugal::tgn
