#include "libcore/nn/optimizer.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/kernels/kernels.h"

namespace frugal {
namespace {

constexpr std::array<std::string_view, 3> kOptimizerNames = {"sgd", "adagrad", "adam"};

/// Parameters [n] with state and gradient [n].
struct Block {
  float* w;
  float* state;
  const float* gradient;
  std::size_t n;
};

void adam_step(const Block& block, float rate, const OptimizerOptions& o) {
  kernels().adam(block.w, block.state, block.state + block.n, block.gradient, block.n, rate,
                 o.beta1, o.beta2, o.epsilon);
}

/// One step of parameters that share their state as row_state_size() says.
void step_block(const Block& block, float rate, const OptimizerOptions& options) {
  switch (options.kind) {
    case OptimizerKind::sgd: kernels().axpy(-rate, block.gradient, block.w, block.n); break;
    case OptimizerKind::adagrad:
      kernels().adagrad_row(block.w, block.state, block.gradient, block.n, rate, options.epsilon);
      break;
    case OptimizerKind::adam: adam_step(block, rate, options); break;
  }
}

std::size_t dense_state_size(OptimizerKind kind, std::size_t size) {
  return kind == OptimizerKind::sgd ? 0 : kind == OptimizerKind::adagrad ? size : 2 * size;
}

}  // namespace

OptimizerKind optimizer_from_name(std::string_view name) {
  const auto found = std::find(kOptimizerNames.begin(), kOptimizerNames.end(), name);
  if (found == kOptimizerNames.end()) {
    fail(ExitStatus::usage, "unknown optimizer '", name, "', expected sgd, adagrad or adam");
  }
  return static_cast<OptimizerKind>(found - kOptimizerNames.begin());
}

std::string_view optimizer_name(OptimizerKind kind) {
  return kOptimizerNames[static_cast<std::size_t>(kind)];
}

float rate_factor(const OptimizerOptions& options, std::uint64_t step) {
  if (options.kind != OptimizerKind::adam) return 1;
  const auto t = static_cast<double>(step);
  const double first = 1 - std::pow(static_cast<double>(options.beta1), t);
  const double second = 1 - std::pow(static_cast<double>(options.beta2), t);
  return static_cast<float>(std::sqrt(second) / first);
}

AdamScale adam_scale(const OptimizerOptions& options, float rate, std::uint64_t step) {
  AdamScale scale{rate * rate_factor(options, step), options.epsilon};
  if (options.corrected_epsilon) {
    scale.epsilon *= static_cast<float>(
        std::sqrt(1 - std::pow(static_cast<double>(options.beta2), static_cast<double>(step))));
  }
  return scale;
}

DenseOptimizer::DenseOptimizer(const OptimizerOptions& options, std::size_t size)
    : options_(options), state_(dense_state_size(options.kind, size)), size_(size) {}

void DenseOptimizer::step(std::span<float> parameters, std::span<const float> gradient,
                          float rate) {
  assert(parameters.size() == size_ && gradient.size() == size_);
  ++steps_;
  const Kernels& k = kernels();
  switch (options_.kind) {
    case OptimizerKind::sgd: k.axpy(-rate, gradient.data(), parameters.data(), size_); break;
    case OptimizerKind::adagrad:
      k.adagrad(parameters.data(), state_.data(), gradient.data(), size_, rate, options_.epsilon);
      break;
    case OptimizerKind::adam:
      const auto [scaled_rate, epsilon] = adam_scale(options_, rate, steps_);
      k.adam(parameters.data(), state_.data(), state_.data() + size_, gradient.data(), size_,
             scaled_rate, options_.beta1, options_.beta2, epsilon);
      break;
  }
}

std::size_t row_state_size(OptimizerKind kind, std::size_t dim) {
  return kind == OptimizerKind::sgd ? 0 : kind == OptimizerKind::adagrad ? 1 : 2 * dim;
}

std::size_t biased_row_state_size(OptimizerKind kind, std::size_t dim) {
  return row_state_size(kind, dim - 1) + row_state_size(kind, 1);
}

void step_row(RowTable& table, std::size_t r, const float* gradient, float rate,
              const OptimizerOptions& options) {
  assert(table.state_size() == row_state_size(options.kind, table.dim()));
  step_block({table.row(r), table.state(r), gradient, table.dim()}, rate, options);
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
  step_block({row, state, gradient, bias}, rate, options);
  float* bias_state = state + row_state_size(options.kind, bias);
  step_block({row + bias, bias_state, gradient + bias, 1}, rate, options);
  if (halves) table.write(r, row, rounding);
}

}  // namespace frugal
