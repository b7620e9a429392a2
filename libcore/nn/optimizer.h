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

/// Kind and constants by the names that engines of devices know (engine_kinds.md).
std::vector<std::pair<std::string, std::string>> engine_settings(const OptimizerOptions& options);

/// What Adam's rate is multiplied with at a run's step `step`, counted from 1, because its moments
/// begin at zero (Kingma, Ba, end of section 2); 1 for the others.
float rate_factor(const OptimizerOptions& options, std::uint64_t step);

/// Rate and epsilon of Adam's step `step`, counted from 1, as Kernels::adam() takes them.
struct AdamScale {
  float rate, epsilon;
};
AdamScale adam_scale(const OptimizerOptions& options, float rate, std::uint64_t step);

/// Steps a dense block of parameters that all have a gradient at every step.
class DenseOptimizer {
 public:
  DenseOptimizer() = default;
  DenseOptimizer(const OptimizerOptions& options, std::size_t size);

  /// parameters and gradient: [size].
  void step(std::span<float> parameters, std::span<const float> gradient, float rate);

  /// What a checkpoint must hold besides the parameters: sums or moments, and the steps done.
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

/// Floats of state that step_row() keeps behind each row of `dim` parameters: sgd 0; adagrad 1 (one
/// sum for the row: the mean square of its gradients, so that state costs 1/dim of the weights);
/// adam 2 dim (moments; rows without a gradient are left alone, as "lazy Adam" does).
std::size_t row_state_size(OptimizerKind kind, std::size_t dim);

/// One step of row `r` of a table that has row_state_size() floats of state. gradient: [dim]. The
/// rate must have the factor of the run's step in it, not of the row's: what few steps move would
/// else lag behind (P@1 after five epochs, dense softmax, the best rates: 5,000 generated labels
/// 75.3 instead of 70.1; of real data up to 1,000 labels alike).
void step_row(RowTable& table, std::size_t r, const float* gradient, float rate,
              const OptimizerOptions& options);

/// The same for rows whose last column is a bias, which has state of its own: its gradient is of
/// another size than those of the weights and would set their pace (on 50 classes of text: 1 point
/// of accuracy). dim counts the bias. Columns that are kept as bf16 are rounded by a random number
/// of `rounding`: steps smaller than half of a bf16's last place would else be lost, all of them.
std::size_t biased_row_state_size(OptimizerKind kind, std::size_t dim);
void step_biased_row(RowTable& table, std::size_t r, const float* gradient, float rate,
                     const OptimizerOptions& options, std::uint32_t rounding = 0);

}  // namespace frugal
