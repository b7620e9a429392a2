#include "libcore/nn/optimizer.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "libcore/base/text.h"
#include "libcore/kernels/kernels.h"
#include "libcore/nn/optimizer_rules.h"

namespace frugal {
namespace {

/// state: [num_states][n].
ParameterBlock block_of(const OptimizerRule& rule, float* parameters, float* state,
                        const float* gradient, std::size_t n) {
  return {parameters, state, rule.num_states > 1 ? state + n : nullptr, gradient, n};
}

/// The gradient with the share of the parameters that decays, in memory of this thread.
const float* decaying_gradient(const float* parameters, const float* gradient, std::size_t n,
                               float weight_decay) {
  if (weight_decay == 0) return gradient;
  thread_local std::vector<float> sum;
  sum.assign(gradient, gradient + n);
  kernels().axpy(weight_decay, parameters, sum.data(), n);
  return sum.data();
}

/// One step of n numbers of a row, whose state is as row_state_size() says.
void step_part(float* row, float* state, const float* gradient, std::size_t n, float rate,
               const OptimizerOptions& options) {
  const OptimizerRule& rule = optimizer_rule(options.kind);
  const float* whole = decaying_gradient(row, gradient, n, options.weight_decay);
  step_row_block(block_of(rule, row, state, whole, n), rate, options);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> engine_settings(const OptimizerOptions& options) {
  const auto text = [](float x) { return format_number(static_cast<double>(x)); };
  return {{"optimizer", std::string(optimizer_name(options.kind))},
          {"epsilon", text(options.epsilon)},
          {"beta1", text(options.beta1)},
          {"beta2", text(options.beta2)},
          {"weight_decay", text(options.weight_decay)}};
}

float rate_factor(const OptimizerOptions& options, std::uint64_t step) {
  if (!optimizer_rule(options.kind).has_moments) return 1;
  const auto t = static_cast<double>(step);
  const double first = 1 - std::pow(static_cast<double>(options.beta1), t);
  const double second = 1 - std::pow(static_cast<double>(options.beta2), t);
  return static_cast<float>(std::sqrt(second) / first);
}

AdamScale adam_scale(const OptimizerOptions& options, float rate, std::uint64_t step) {
  AdamScale scale{rate * rate_factor(options, step), options.epsilon};
  if (options.corrected_epsilon && optimizer_rule(options.kind).has_moments) {
    scale.epsilon *= static_cast<float>(
        std::sqrt(1 - std::pow(static_cast<double>(options.beta2), static_cast<double>(step))));
  }
  return scale;
}

DenseOptimizer::DenseOptimizer(const OptimizerOptions& options, std::size_t size)
    : options_(options), state_(optimizer_rule(options.kind).num_states * size), size_(size) {}

void DenseOptimizer::step(std::span<float> parameters, std::span<const float> gradient,
                          float rate) {
  assert(parameters.size() == size_ && gradient.size() == size_);
  ++steps_;
  OptimizerOptions now = options_;
  const AdamScale scale = adam_scale(options_, rate, steps_);
  now.epsilon = scale.epsilon;
  const OptimizerRule& rule = optimizer_rule(options_.kind);
  const float* whole =
      decaying_gradient(parameters.data(), gradient.data(), size_, options_.weight_decay);
  step_block(block_of(rule, parameters.data(), state_.data(), whole, size_), scale.rate, now);
}

std::size_t row_state_size(OptimizerKind kind, std::size_t dim) {
  const OptimizerRule& rule = optimizer_rule(kind);
  return rule.row_shares_state ? 1 : rule.num_states * dim;
}

std::size_t biased_row_state_size(OptimizerKind kind, std::size_t dim) {
  return row_state_size(kind, dim - 1) + row_state_size(kind, 1);
}

void step_row(RowTable& table, std::size_t r, const float* gradient, float rate,
              const OptimizerOptions& options) {
  assert(table.state_size() == row_state_size(options.kind, table.dim()));
  step_part(table.row(r), table.state(r), gradient, table.dim(), rate, options);
}

void step_biased_row(RowTable& table, std::size_t r, const float* gradient, float rate,
                     const OptimizerOptions& options, std::uint32_t rounding) {
  assert(table.state_size() == biased_row_state_size(options.kind, table.dim()));
  thread_local std::vector<float> copy;
  const bool halves = table.half_columns() != 0;
  if (halves) {
    copy.resize(std::max(copy.size(), table.dim()));
    table.read(r, copy.data());
  }
  const std::size_t bias = table.dim() - 1;
  float* row = halves ? copy.data() : table.row(r);
  float* state = table.state(r);
  step_part(row, state, gradient, bias, rate, options);
  float* bias_state = state + row_state_size(options.kind, bias);
  step_part(row + bias, bias_state, gradient + bias, 1, rate, options);
  if (halves) table.write(r, row, rounding);
}

}  // namespace frugal
