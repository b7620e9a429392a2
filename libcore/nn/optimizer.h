#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/nn/optimizer_options.h"
#include "libcore/nn/row_table.h"

namespace frugal {

/// Name and constants of the optimiser as settings of device engines (engine_kinds.md).
std::vector<std::pair<std::string, std::string>> engine_settings(const OptimizerOptions& options);

/// Bias correction of Adam: factor of the learning rate at step `step` of a run, counted from 1,
/// because moments start at zero (Kingma, Ba, end of section 2). 1 for other optimisers.
float rate_factor(const OptimizerOptions& options, std::uint64_t step);

/// Rate and epsilon of Adam's step `step`, counted from 1, as Kernels::adam() expects them.
struct AdamScale {
  float rate, epsilon;
};
AdamScale adam_scale(const OptimizerOptions& options, float rate, std::uint64_t step);

/// Performs optimiser steps on a dense block of parameters: each step updates all of them.
class DenseOptimizer {
 public:
  DenseOptimizer() = default;
  DenseOptimizer(const OptimizerOptions& options, std::size_t size);

  /// parameters and gradient: [size].
  void step(std::span<float> parameters, std::span<const float> gradient, float rate);

  /// State for checkpoints: sums or moments, and the number of steps done.
  std::span<float> state() { return {state_.data(), state_.size()}; }
  std::span<const float> state() const { return {state_.data(), state_.size()}; }
  std::uint64_t steps() const { return steps_; }
  void set_steps(std::uint64_t steps) { steps_ = steps; }

 private:
  OptimizerOptions options_;
  Array<float> state_;
  std::size_t size_ = 0;
  std::uint64_t steps_ = 0;
};

/// Number of floats of optimiser state that step_row() keeps after each row of `dim` parameters.
/// sgd: 0. adagrad: 1, the sum over steps of the mean square of the row's gradient. adam: 2 dim,
/// its moments; rows without a gradient are not changed, as in "lazy Adam".
std::size_t row_state_size(OptimizerKind kind, std::size_t dim);

/// Updates row `r` of a table with row_state_size() floats of state. gradient: [dim]. The rate must
/// include rate_factor() for the number of steps of the run. With the number of steps of the row,
/// rarely updated rows lag behind. P@1 after five epochs with dense softmax and the best rates was
/// 70.1 with the row's number and 75.3 with the run's, on 5,000 generated labels. On real data with
/// up to 1,000 labels there was no difference.
void step_row(RowTable& table, std::size_t r, const float* gradient, float rate,
              const OptimizerOptions& options);

/// Versions of both functions for rows whose last column is a bias; dim includes it. The bias has
/// state of its own, because its gradient has another magnitude and would determine the step size
/// of the weights. A common state costs 1 point of accuracy on 50 classes of text. bf16 columns are
/// rounded stochastically, with random numbers seeded by `rounding`: rounding to nearest would lose
/// every step smaller than half a bf16's last place.
std::size_t biased_row_state_size(OptimizerKind kind, std::size_t dim);
void step_biased_row(RowTable& table, std::size_t r, const float* gradient, float rate,
                     const OptimizerOptions& options, std::uint32_t rounding = 0);

}  // namespace frugal
