#pragma once
#include <string>

#include "tools/robe-compress/train.h"

namespace frugal::robe {

/// Everything that decides what is trained, but the data and the model it begins with: two runs
/// with equal texts, data and models give the same one. "method=robe compression=100 ...".
std::string training_text(const TrainOptions& options);

/// Stands for a model that a training begins with: no two have the same weights.
std::string network_fingerprint(const Network& network);

}  // namespace frugal::robe
