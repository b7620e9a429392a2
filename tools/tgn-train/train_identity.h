#pragma once
#include <string>

#include "tools/tgn-train/train.h"

namespace frugal::tgn {

/// What a checkpoint must agree with to be gone on from: all that changes the steps of a training,
/// as text.
std::string training_text(const TrainOptions& options);

}  // namespace frugal::tgn
