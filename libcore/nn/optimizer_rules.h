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

/// Parameters [n] with state and gradient [n].
struct ParameterBlock {
  float* parameters = nullptr;
  float* first = nullptr;   ///< state
  float* second = nullptr;  ///< more of it
  const float* gradient = nullptr;
  std::size_t n = 0;
};

/// All that tells one optimiser from another. A new one is a value of OptimizerKind and a row of
/// the table in optimizer_rules.cpp; layers, embeddings, checkpoints and options follow.
struct OptimizerRule {
  std::string_view name;
  std::size_t num_states = 0;     ///< numbers of state that a parameter has, [num_states][n]
  bool row_shares_state = false;  ///< a row of a table has one number of state in all
  bool has_moments = false;       ///< that begin at zero: rate_factor() makes up for it
  bool is_linear = false;  ///< a step is -rate times the gradient: it may be added as it is made

  /// rate and epsilon: as adam_scale() has them.
  void (*step)(const ParameterBlock& block, float rate, const OptimizerOptions& options) = nullptr;
  /// The same of a table's row. Null: as step().
  void (*step_row)(const ParameterBlock& block, float rate,
                   const OptimizerOptions& options) = nullptr;
  /// Fused backward passes, in which every occurrence of a row or block is a step of its own. Null:
  /// a step needs the sum over the batch.
  void (*step_bag)(RowTable& table, const Bag& bag, const float* dout, float rate,
                   const OptimizerOptions& options) = nullptr;
  void (*step_blocks)(const RowScatter& blocks, float* first, float rate,
                      const OptimizerOptions& options) = nullptr;
};

const OptimizerRule& optimizer_rule(OptimizerKind kind);

/// "sgd", "adagrad", "adam": what optimizer_from_name() takes.
std::vector<std::string> optimizer_names();
/// Fails (usage) on a name that no optimiser has, naming those there are.
OptimizerKind optimizer_from_name(std::string_view name);
std::string_view optimizer_name(OptimizerKind kind);

}  // namespace frugal
