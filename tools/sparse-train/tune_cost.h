#pragma once
#include "tools/sparse-train/tune.h"

namespace frugal::sparse {

/// About how many multiplications a training with these settings takes: what orders configurations
/// by their CPU time. facts: of the data as `fixed` makes them.
double estimated_cost(const TrainOptions& fixed, const Settings& settings, const DataFacts& facts);

}  // namespace frugal::sparse
