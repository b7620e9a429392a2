#pragma once
#include "libcore/nn/bag.h"
#include "libcore/nn/optimizer_options.h"
#include "libcore/nn/row_table.h"

namespace frugal {

/// out[dim] += sum_j weights[j] * table[rows[j]].
void embedding_bag_forward(const RowTable& table, const Bag& bag, float* out);

/// Steps each row of the bag with the gradient weights[j] * dout, one after another: the backward
/// pass and the optimiser touch each row once. Only for optimisers with steps_bags().
bool steps_bags(const OptimizerOptions& options);
void embedding_bag_step(RowTable& table, const Bag& bag, const float* dout, float rate,
                        const OptimizerOptions& options);

}  // namespace frugal
