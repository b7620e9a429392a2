#pragma once
#include <functional>
#include <memory>
#include <optional>

#include "libcore/kernels/gemm.h"
#include "tools/sparse-train/fit/plan.h"
#include "tools/sparse-train/network/network.h"
#include "tools/sparse-train/scoring/evaluation.h"
#include "tools/sparse-train/scoring/scorer.h"
#include "tools/sparse-train/tree/label_forest.h"

namespace frugal::sparse {

/// A model trained in memory without messages, checkpoints and files, for searches.
struct QuickModel {
  std::optional<Network> network;
  std::optional<LabelForest> forest;
  LabelCounts label_counts;

  /// Ranks `top_k` labels; the model must outlive it.
  std::unique_ptr<Scorer> scorer(std::size_t top_k) const;
};

/// Models that the parts of a plan continue from, or null.
struct QuickStart {
  const Network* network = nullptr;
  const ForestStart* forest = nullptr;  ///< with room for the labels of the data
};

/// Called with a model after half of its network's epochs; true ends the training.
using MidwayLook = std::function<bool(const QuickModel&)>;

/// Options of a quick training.
struct QuickRun {
  std::uint64_t seed = 0;
  Precision precision{};
  std::function<bool()> stop;
  QuickStart start{};
  MidwayLook midway{};  ///< may be empty
};

/// Trains all parts of `plan`, or until stop() or midway() returns true. Fails (bad_input) if a
/// network's loss is not finite.
QuickModel train_quickly(const Plan& plan, const Dataset& data, const QuickRun& run);

}  // namespace frugal::sparse
