#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/nn/optimizer_options.h"

namespace frugal {

struct Bag;
struct RowScatter;
class RowTable;

/// Parameters [n], with their state and gradient [n].
struct ParameterBlock {
  float* parameters = nullptr;
  float* first = nullptr;   ///< first state array
  float* second = nullptr;  ///< second state array
  const float* gradient = nullptr;
  std::size_t n = 0;
};

/// Properties and functions of one optimiser. To add one, extend OptimizerKind and the table in
/// optimizer_rules.cpp; layers, embeddings, checkpoints and options follow.
struct OptimizerRule {
  std::string_view name;
  std::size_t num_states = 0;     ///< numbers of state per parameter, [num_states][n]
  bool row_shares_state = false;  ///< a row of a table has a single number of state
  bool has_moments = false;       ///< moments start at zero; rate_factor() corrects for it
  /// A step is -rate times the gradient, so that terms may be added to the parameters directly.
  bool is_linear = false;

  /// One step of a block. rate and epsilon include the corrections of adam_scale().
  void (*step)(const ParameterBlock& block, float rate, const OptimizerOptions& options) = nullptr;
  /// One step of a table's row. Null: uses step().
  void (*step_row)(const ParameterBlock& block, float rate,
                   const OptimizerOptions& options) = nullptr;
  /// Fused backward passes, which step every occurrence of a row or block separately. Null: a step
  /// needs the sum over the batch.
  void (*step_bag)(RowTable& table, const Bag& bag, const float* dout, float rate,
                   const OptimizerOptions& options) = nullptr;
  void (*step_blocks)(const RowScatter& blocks, float* first, float rate,
                      const OptimizerOptions& options) = nullptr;
};

const OptimizerRule& optimizer_rule(OptimizerKind kind);

/// Names that optimizer_from_name() accepts: "sgd", "adagrad", "adam".
std::vector<std::string> optimizer_names();
/// Fails (usage) on an unknown name and lists the known ones.
OptimizerKind optimizer_from_name(std::string_view name);
std::string_view optimizer_name(OptimizerKind kind);

}  // namespace frugal
