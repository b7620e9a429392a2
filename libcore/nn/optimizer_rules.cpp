#include "libcore/nn/optimizer_rules.h"

#include <array>
#include <span>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/kernels/kernels.h"
#include "libcore/nn/bag.h"
#include "libcore/nn/row_table.h"

namespace frugal {
namespace {

const float* weights_of(const Bag& bag) {
  return bag.weights.empty() ? nullptr : bag.weights.data();
}

void sgd_bag(RowTable& table, const Bag& bag, const float* dout, float rate,
             const OptimizerOptions&) {
  kernels().scatter_add(table.data(), table.stride(), table.dim(), bag.rows.data(), weights_of(bag),
                        bag.rows.size(), -rate, dout);
}

void sgd_blocks(const RowScatter& blocks, float*, float rate, const OptimizerOptions&) {
  kernels().scatter_rows(blocks, -rate);
}

void adagrad_bag(RowTable& table, const Bag& bag, const float* dout, float rate,
                 const OptimizerOptions& o) {
  const Kernels& k = kernels();
  const RowUpdate update{table.data(),   table.stride(), table.dim(), table.data() + table.dim(),
                         table.stride(), rate,           o.epsilon};
  k.scatter_adagrad(update, bag.rows.data(), weights_of(bag), bag.rows.size(), dout,
                    k.squared_norm(dout, table.dim()) / static_cast<float>(table.dim()));
}

void adagrad_blocks(const RowScatter& blocks, float* first, float rate, const OptimizerOptions& o) {
  kernels().scatter_rows_adagrad(blocks, first, rate, o.epsilon);
}

/// In the order of OptimizerKind.
constexpr OptimizerRule kRules[] = {
    {.name = "sgd", .is_linear = true, .step_bag = sgd_bag, .step_blocks = sgd_blocks},
    // Sums of squares that are nearly 0 make the first steps as large as the rate.
    {.name = "adagrad",
     .num_states = 1,
     .row_shares_state = true,
     .rate = 0.01,
     .embedding_rate = 0.05,
     .warm_up = 0.1,
     .step_bag = adagrad_bag,
     .step_blocks = adagrad_blocks},
    {.name = "adam", .num_states = 2, .has_moments = true, .rate = 0.001, .embedding_rate = 0.01},
};

StepNumbers numbers_of(float rate, const OptimizerOptions& o) {
  return {rate, o.epsilon, o.beta1, o.beta2};
}

const OptimizerKernels& kernels_of(const OptimizerOptions& o) {
  return kernels().optimizers[static_cast<std::size_t>(o.kind)];
}

}  // namespace

const OptimizerRule& optimizer_rule(OptimizerKind kind) {
  return kRules[static_cast<std::size_t>(kind)];
}

void step_block(const ParameterBlock& block, float rate, const OptimizerOptions& options) {
  kernels_of(options).step(block, numbers_of(rate, options));
}

void step_row_block(const ParameterBlock& block, float rate, const OptimizerOptions& options) {
  const OptimizerKernels& k = kernels_of(options);
  (k.step_row != nullptr ? k.step_row : k.step)(block, numbers_of(rate, options));
}

std::vector<std::string> optimizer_names() {
  std::vector<std::string> names;
  for (const OptimizerRule& rule : kRules) names.emplace_back(rule.name);
  return names;
}

OptimizerKind optimizer_from_name(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kRules); ++i) {
    if (kRules[i].name == name) return static_cast<OptimizerKind>(i);
  }
  fail(ExitStatus::usage, "unknown optimizer '", name, "', expected ", joined(optimizer_names()));
}

std::string_view optimizer_name(OptimizerKind kind) { return optimizer_rule(kind).name; }

}  // namespace frugal
