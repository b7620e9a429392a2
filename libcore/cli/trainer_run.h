#pragma once
#include <string>

#include "libcore/base/trainer_settings.h"
#include "libcore/cli/tool.h"

namespace frugal {

/// By the common options and those of trainers. Fails (usage) where --resume has no checkpoint.
TrainerSettings trainer_settings(const TrainerOptions& trainer, const Run& run);

/// Ends a training that a signal stopped ("stopped at step 7"), saying how to go on.
[[noreturn]] void fail_stopped(const std::string& stopped, const std::string& checkpoint);

}  // namespace frugal
