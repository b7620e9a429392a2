#include "libcore/nn/embedding_bag.h"

#include <cassert>

#include "libcore/kernels/kernels.h"

namespace frugal {
namespace {

const float* weights_of(const Bag& bag) {
  return bag.weights.empty() ? nullptr : bag.weights.data();
}

}  // namespace

void embedding_bag_forward(const RowTable& table, const Bag& bag, float* out) {
  assert(bag.weights.empty() || bag.weights.size() == bag.rows.size());
  kernels().gather_sum(table.data(), table.stride(), table.dim(), bag.rows.data(), weights_of(bag),
                       bag.rows.size(), out);
}

void embedding_bag_step(RowTable& table, const Bag& bag, const float* dout, float rate,
                        const OptimizerOptions& options) {
  assert(options.kind != OptimizerKind::adam);
  assert(table.state_size() == row_state_size(options.kind, table.dim()));
  const Kernels& k = kernels();
  if (options.kind == OptimizerKind::adagrad) {
    const RowUpdate update{
        table.data(),   table.stride(), table.dim(),    table.data() + table.dim(),
        table.stride(), rate,           options.epsilon};
    k.scatter_adagrad(update, bag.rows.data(), weights_of(bag), bag.rows.size(), dout,
                      k.squared_norm(dout, table.dim()) / static_cast<float>(table.dim()));
    return;
  }
  k.scatter_add(table.data(), table.stride(), table.dim(), bag.rows.data(), weights_of(bag),
                bag.rows.size(), -rate, dout);
}

}  // namespace frugal
