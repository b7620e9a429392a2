#pragma once
#include <cstdint>
#include <functional>
#include <optional>

#include "libcore/kernels/gemm.h"
#include "tools/sparse-train/evaluation.h"
#include "tools/sparse-train/planner.h"
#include "tools/sparse-train/quick_training.h"

namespace frugal {

/// Which of a plan's numbers the user left to the data.
struct FreeSteps {
  bool tree_cost = false;
  bool learning_rate = false;
};

struct StepChoice {
  double share = 1;            ///< of the plan's steps
  std::uint64_t held_out = 0;  ///< examples that say so
};

/// How far a model of --init had better be moved by new data. Where it knows the examples already,
/// each step forgets more than it learns. A fifth of at most 20,000 examples is held out: a model
/// that has seen them ranks their labels better before it is moved than after. Chooses of the whole
/// step, a fifth and a 25th of it, by nDCG@5. Nothing where examples or memory are too few, or
/// `stop` says so.
std::optional<StepChoice> choose_steps(const Plan& plan, const FreeSteps& free,
                                       const QuickStart& start, const Dataset& data,
                                       std::uint64_t seed, Precision precision,
                                       const std::function<bool()>& stop);

/// Takes a share of the steps where they are free.
void scale_steps(double share, const FreeSteps& free, Plan& plan);

}  // namespace frugal
