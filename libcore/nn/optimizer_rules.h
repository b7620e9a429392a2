#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/nn/optimizer_options.h"

namespace frugal {

struct Bag;
struct ParameterBlock;
struct RowScatter;
class RowTable;

/// Properties and functions of one optimiser. A new one has a row in optimizer_rules.cpp, its steps
/// in the last row of kernels/bodies/optimise.inl and, for devices, its step in
/// device/cuda/kernels/optimizer.h. Layers, embeddings, checkpoints and options follow.
struct OptimizerRule {
  std::string_view name;
  std::size_t num_states = 0;     ///< numbers of state per parameter, [num_states][n]
  bool row_shares_state = false;  ///< a row of a table has a single number of state
  bool has_moments = false;       ///< moments start at zero; rate_factor() corrects for it
  /// A step is -rate times the gradient, so that terms may be added to the parameters directly.
  bool is_linear = false;

  // Default peak learning rates of networks and of embeddings, whose parameters few samples touch,
  // and warm-up.
  double rate = 0.1, embedding_rate = 0.1, warm_up = 0;

  /// Fused backward passes, which step every occurrence of a row or block separately. Null: a step
  /// needs the sum over the batch.
  void (*step_bag)(RowTable& table, const Bag& bag, const float* dout, float rate,
                   const OptimizerOptions& options) = nullptr;
  void (*step_blocks)(const RowScatter& blocks, float* first, float rate,
                      const OptimizerOptions& options) = nullptr;
};

const OptimizerRule& optimizer_rule(OptimizerKind kind);
/// Makes a step of a block, or of a table's row.
void step_block(const ParameterBlock& block, float rate, const OptimizerOptions& options);
void step_row_block(const ParameterBlock& block, float rate, const OptimizerOptions& options);

/// Names that optimizer_from_name() accepts: "sgd", "adagrad", "adam".
std::vector<std::string> optimizer_names();
/// Fails (usage) on an unknown name and lists the known ones.
OptimizerKind optimizer_from_name(std::string_view name);
std::string_view optimizer_name(OptimizerKind kind);

}  // namespace frugal
