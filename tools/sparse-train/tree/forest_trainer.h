#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "libcore/parallel/communicator.h"
#include "tools/sparse-train/data/dataset.h"
#include "tools/sparse-train/tree/label_clusters.h"
#include "tools/sparse-train/tree/label_forest.h"
#include "tools/sparse-train/tree/node_exchange.h"
#include "tools/sparse-train/tree/node_trainer.h"

namespace frugal::sparse {

/// Start of a continued training: a forest with room for all labels of the data.
struct ForestStart {
  LabelForest forest;
  /// For each tree and slot: true if the slot is of a label new to the tree, or leads to one.
  std::vector<std::vector<bool>> fresh;
};

/// Options of a forest. Defaults are those of Parabel and Bonsai, except that trees are shallower:
/// an additional child of a node costs little here.
struct ForestOptions {
  std::uint32_t trees = 3;
  std::uint32_t beam = 10;  ///< nodes of a level that a search expands
  ClusterOptions clusters;
  std::uint32_t second_arity = 16;  ///< clusters.arity of every other tree, from the second on,
                                    ///< which has no root_clusters
  NodeTrainerOptions nodes;
  std::uint64_t seed = 0;  ///< the seeds above are derived from it for each tree
};

/// Called while a tree grows with the share done, from any thread, but not concurrently. Returning
/// false stops the tree.
using TreeProgress = std::function<bool(double share)>;

/// Trains label trees on all threads. Trees do not depend on the numbers of threads and ranks. Each
/// rank clusters labels for some of the trees, and trains its share of each tree's classifiers, by
/// the work they need.
class ForestTrainer {
 public:
  /// Clusters the labels for the trees from number `first` on. With a start, takes its trees, which
  /// must have every label of the data, and trains their classifiers further. ranks: null = only
  /// this process. All arguments must outlive the trainer.
  ForestTrainer(const Dataset& data, const ForestOptions& options, std::uint64_t first = 0,
                const ForestStart* start = nullptr, Communicator* ranks = nullptr);

  /// Trains tree number t of the forest, first <= t < options.trees: a function of the data, the
  /// options and t. Returns nothing if `progress` stopped it on some rank. Only the first rank gets
  /// the tree, the others an empty one.
  std::optional<LabelTree> train(std::uint64_t t, const TreeProgress& progress) const;

 private:
  struct Job;
  static std::vector<Job> jobs_of(const Dataset& data, const TreeShape& shape,
                                  const TreeExamples& examples);
  void cluster_trees(const std::function<bool(std::uint64_t t)>& is_wanted);
  bool train_jobs(std::uint64_t t, const TreeExamples& examples, const std::vector<Job>& jobs,
                  const std::vector<std::uint32_t>& mine, const TreeProgress& progress,
                  std::vector<TrainedJob>& trained) const;
  static LabelTree join_jobs(const TreeShape& shape, const std::vector<Job>& jobs,
                             std::vector<TrainedJob>& trained);

  const Dataset& data_;
  ForestOptions options_;
  std::uint64_t first_;
  const ForestStart* start_;
  std::unique_ptr<Communicator> alone_ = single_process();
  Communicator& ranks_;
  std::vector<TreeShape> shapes_;
};

/// Functions called between and while trees grow; they may be empty.
struct ForestObserver {
  /// as TreeProgress, with trees done plus the share of the present one
  std::function<bool(double trees)> progress;
  std::function<bool()> grown;  ///< called after each tree; false stops
};

/// Grows the missing trees of `forest` up to options.trees; on all ranks except the first, they are
/// empty. Returns false if `progress` stopped a tree; the trees before it stay. start, ranks: as in
/// ForestTrainer; start has options.trees trees.
bool grow_forest(const Dataset& data, const ForestOptions& options, const ForestObserver& observer,
                 LabelForest& forest, const ForestStart* start = nullptr,
                 Communicator* ranks = nullptr);

/// Extends a forest by the labels of new data. Each label that a tree lacks is added to the leaf
/// that the tree finds most probable for the sum of the label's examples. Its classifier rejects
/// everything, as the earlier examples would have taught it. data: has the forest's features and
/// labels, and may have new ones after them. Fails (unavailable) if a leaf would have more than
/// kMostChildren labels.
ForestStart extend_forest(LabelForest forest, const Dataset& data);

}  // namespace frugal::sparse
