#pragma once
/// The optimiser's step of all dense parameters of an engine, in one launch.
#include <vector>

#include "libcore/device/cuda/engines/engine.h"
#include "libcore/device/cuda/kernels/optimizer.h"

namespace frugal::cuda {

struct RuleChoice {
  Rule rule = Rule::sgd;
  RuleNumbers numbers{};
  std::uint32_t num_states() const { return facts_of(rule).num_states; }
};
/// Settings "optimizer", "epsilon", "beta1", "beta2", "weight_decay".
RuleChoice rule_from(const Settings& settings);

class StepList {
 public:
  /// Adds parameters. entry: without its first block. The gradient must be complete when the list
  /// runs.
  void add(const StepEntry& entry) { entries_.push_back(entry); }
  /// Launches the steps of all entries on the stream; they share one optimiser.
  void run(const RuleChoice& rule, cudaStream_t stream) const;

 private:
  std::vector<StepEntry> entries_;
};

}  // namespace frugal::cuda
