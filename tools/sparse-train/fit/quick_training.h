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

/// What a plan trained in memory, without messages, checkpoints and files: for searches.
struct QuickModel {
  std::optional<Network> network;
  std::optional<LabelForest> forest;
  LabelCounts label_counts;

  /// Ranks `top_k` labels; the model must outlive it.
  std::unique_ptr<Scorer> scorer(std::size_t top_k) const;
};

/// What the parts of a plan go on from, or null.
struct QuickStart {
  const Network* network = nullptr;
  const ForestStart* forest = nullptr;  ///< with room for the labels of the data
};

/// Looks at a model whose network has done half of its epochs; true: the other half is of no use.
using MidwayLook = std::function<bool(const QuickModel&)>;

/// How a quick training runs.
struct QuickRun {
  std::uint64_t seed = 0;
  Precision precision{};
  std::function<bool()> stop;
  QuickStart start{};
  MidwayLook midway{};  ///< may be empty
};

/// Trains all parts of `plan`, until stop() or midway() says yes. Fails (bad_input) where a
/// network's loss is not finite.
QuickModel train_quickly(const Plan& plan, const Dataset& data, const QuickRun& run);

}  // namespace frugal::sparse
