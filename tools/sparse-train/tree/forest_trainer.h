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

/// What a forest that is trained further begins from: a forest with room for all labels of the
/// data.
struct ForestStart {
  LabelForest forest;
  /// By tree and slot: whether a label that the tree did not know is the slot's, or stands below
  /// it.
  std::vector<std::vector<bool>> fresh;
};

/// The defaults are those of Parabel, Bonsai and their kin, but that trees are shallower: a child
/// more of a node costs little here.
struct ForestOptions {
  std::uint32_t trees = 3;
  std::uint32_t beam = 10;  ///< nodes of a level that a search goes on from
  ClusterOptions clusters;
  std::uint32_t second_arity = 16;  ///< clusters.arity of every other tree, from the second on,
                                    ///< which has no root_clusters
  NodeTrainerOptions nodes;
  std::uint64_t seed = 0;  ///< the seeds above are made from it for each tree
};

/// Told while a tree grows: the share of it that is done. May be called from any thread, one at a
/// time; an answer of false stops the tree.
using TreeProgress = std::function<bool(double share)>;

/// Trains label trees; uses all threads, and the trees do not depend on their number. Nor on that
/// of ranks: each clusters labels for some of the trees and trains its share of each tree's
/// classifiers, by the work that they make.
class ForestTrainer {
 public:
  /// What is passed must outlive the trainer. Clusters the labels for the trees from number `first`
  /// on or, with a start, takes its trees, which have every label of the data, and trains their
  /// classifiers further. ranks: null = this process alone.
  ForestTrainer(const Dataset& data, const ForestOptions& options, std::uint64_t first = 0,
                const ForestStart* start = nullptr, Communicator* ranks = nullptr);

  /// Tree number `t` of the forest, `first` <= t < options.trees, a function of the data, the
  /// options and t; nothing if `progress` stopped it on some rank. The first rank alone has it, the
  /// others an empty one.
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

/// What happens between and while trees grow. Functions may be empty.
struct ForestObserver {
  std::function<bool(double trees)> progress;  ///< as TreeProgress, trees grown and their share
  std::function<bool()> grown;  ///< the forest has one tree more; false: no further ones
};

/// Gives `forest` the trees that it lacks of options.trees; those of all ranks but the first are
/// empty. False if `progress` stopped a tree; those before it are there. start and ranks: as
/// ForestTrainer's, with options.trees trees.
bool grow_forest(const Dataset& data, const ForestOptions& options, const ForestObserver& observer,
                 LabelForest& forest, const ForestStart* start = nullptr,
                 Communicator* ranks = nullptr);

/// A forest with room for the labels of new data: each label that a tree lacks stands in the leaf
/// that the tree finds most probable for the sum of the label's examples, with a classifier that
/// says no to everything, as the earlier examples would have taught it. `data` has the forest's
/// features and labels, and perhaps new ones behind them. Fails (unavailable) where a leaf would
/// have more than kMostChildren labels.
ForestStart extend_forest(LabelForest forest, const Dataset& data);

}  // namespace frugal::sparse
