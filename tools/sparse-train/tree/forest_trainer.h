#pragma once
#include <cstdint>
#include <functional>
#include <optional>

#include "tools/sparse-train/data/dataset.h"
#include "tools/sparse-train/tree/label_clusters.h"
#include "tools/sparse-train/tree/label_forest.h"
#include "tools/sparse-train/tree/node_trainer.h"

namespace frugal {

struct ForestOptions {
  ClusterOptions clusters;
  NodeTrainerOptions nodes;
};

/// Told while a tree grows: the share of it that is done. May be called from any thread, one at a
/// time; an answer of false stops the tree.
using TreeProgress = std::function<bool(double share)>;

/// Trains label trees; uses all threads, and the trees do not depend on their number.
class ForestTrainer {
 public:
  /// `data` must outlive the trainer. Sums up the labels' features.
  ForestTrainer(const Dataset& data, const ForestOptions& options);

  /// Tree number `t` of the forest, a function of the data, the options and t; nothing if
  /// `progress` stopped it.
  std::optional<LabelTree> train(std::uint64_t t, const TreeProgress& progress) const;

 private:
  struct Job;
  static std::vector<Job> jobs_of(const Dataset& data, const TreeShape& shape,
                                  const TreeExamples& examples);

  const Dataset& data_;
  ForestOptions options_;
  std::vector<bool> carried_;  ///< labels that some example has
  SparseRows label_features_;
};

}  // namespace frugal
