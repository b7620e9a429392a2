#pragma once
#include <string>

#include "tools/robe-compress/train.h"

namespace frugal {

/// Everything that decides what is trained, but the data: two runs with equal texts and data give
/// the same model. "method=robe compression=100 ...".
std::string training_text(const TrainOptions& options);

}  // namespace frugal
