#include "libcore/nn/embedding_bag.h"

#include <cassert>

#include "libcore/kernels/kernels.h"
#include "libcore/nn/optimizer.h"
#include "libcore/nn/optimizer_rules.h"

namespace frugal {

void embedding_bag_forward(const RowTable& table, const Bag& bag, float* out) {
  assert(bag.weights.empty() || bag.weights.size() == bag.rows.size());
  kernels().gather_sum(table.data(), table.stride(), table.dim(), bag.rows.data(),
                       bag.weights.empty() ? nullptr : bag.weights.data(), bag.rows.size(), out);
}

bool steps_bags(const OptimizerOptions& options) {
  return optimizer_rule(options.kind).step_bag != nullptr && options.weight_decay == 0;
}

void embedding_bag_step(RowTable& table, const Bag& bag, const float* dout, float rate,
                        const OptimizerOptions& options) {
  assert(table.state_size() == row_state_size(options.kind, table.dim()));
  optimizer_rule(options.kind).step_bag(table, bag, dout, rate, options);
}

}  // namespace frugal
