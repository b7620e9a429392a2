#pragma once
#include "libcore/embedding/table_set.h"
#include "tools/robe-compress/network/network.h"
#include "tools/robe-compress/train.h"

namespace frugal::robe {

/// Fails (unavailable) where a model of these options, with the optimiser's state, does not fit
/// into the memory that is left: before it is made, for the kernel would end the process later.
void check_training_memory(const TrainOptions& options, const TableSet& tables,
                           const NetworkShape& shape);

}  // namespace frugal::robe
