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

/// A model that a search trains in memory, without messages, checkpoints or files. It has a
/// network, a forest or both, as the plan says.
struct QuickModel {
  std::optional<Network> network;
  std::optional<LabelForest> forest;
  LabelCounts label_counts;  ///< counts in the training data

  /// Returns a scorer that ranks the best `top_k` labels. The model must outlive the scorer.
  std::unique_ptr<Scorer> scorer(std::size_t top_k) const;
};

/// Parameters to start from; null: the part is trained from scratch.
struct QuickStart {
  const Network* network = nullptr;
  const ForestStart* forest = nullptr;  ///< its trees must have all labels of the data
};

/// Called with the unfinished model after each of the first half of the network's epochs; share: of
/// that half. Returning true stops the training.
using MidwayLook = std::function<bool(const QuickModel& model, double share)>;

/// Options of a quick training.
struct QuickRun {
  std::uint64_t seed = 0;
  Precision precision{};
  std::function<bool()> stop;  ///< called often; true stops the training; must not be empty
  QuickStart start{};
  MidwayLook midway{};  ///< may be empty
  /// Epochs after which the network's training ends, with the schedule of all of the plan; 0: all.
  int epochs = 0;
};

/// Trains the forest and then the network of `plan`, until they are complete or stop() or midway()
/// returns true. Fails (bad_input) if the network's loss is not finite.
QuickModel train_quickly(const Plan& plan, const Dataset& data, const QuickRun& run);

}  // namespace frugal::sparse
