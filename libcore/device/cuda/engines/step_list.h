#pragma once
/// The optimiser's step of all dense parameters of an engine, by one launch.
#include <vector>

#include "libcore/device/cuda/engines/engine.h"
#include "libcore/device/cuda/kernels/optimizer.h"

namespace frugal::cuda {

struct RuleChoice {
  Rule rule = Rule::sgd;
  RuleNumbers numbers{};
  std::uint32_t num_states() const { return rule == Rule::sgd ? 0 : rule == Rule::adagrad ? 1 : 2; }
};
/// Settings "optimizer", "epsilon", "beta1", "beta2", "weight_decay".
RuleChoice rule_from(const Settings& settings);

class StepList {
 public:
  /// entry: without its first block. The gradient is to be there when the list is run.
  void add(const StepEntry& entry) { entries_.push_back(entry); }
  /// Gives the stream the steps of all, whose optimiser is one.
  void run(const RuleChoice& rule, cudaStream_t stream) const;

 private:
  std::vector<StepEntry> entries_;
};

}  // namespace frugal::cuda
