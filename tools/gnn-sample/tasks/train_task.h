#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libcore/metrics/named_values.h"
#include "tools/gnn-sample/batches/train_batch.h"
#include "tools/gnn-sample/data/value_scale.h"
#include "tools/gnn-sample/network/gnn_loss.h"
#include "tools/gnn-sample/tasks/inference.h"

namespace frugal::gnn {

struct TrainOptions;

/// Metrics of a model in its task.
struct TaskMetrics {
  NamedValues values;          ///< by name
  double score = 0;            ///< higher is better; chooses the best epoch
  double loss = 0;             ///< lower is better; breaks ties
  std::string baseline;        ///< result of predictions without learning; "" if unknown
  bool beats_baseline = true;  ///< the result is better; true if unknown
};

/// Task of a training: defines the seeds of mini-batches, their targets, and the evaluation of a
/// model. Seeds, nodes or links, are of a graph that it borrows.
class TrainTask {
 public:
  virtual ~TrainTask() = default;

  /// Number of seeds in a part: train, valid or test.
  virtual std::size_t num_seeds(Part part) const = 0;
  virtual std::size_t num_outputs() const = 0;
  /// Setup of the mini-batches.
  virtual BatchMaker::Setup batch_setup() const = 0;
  /// Probability of each node to be a seed of a mini-batch.
  virtual std::vector<float> seed_probabilities() const = 0;

  /// Starts the mini-batches of training seeds; next() returns false at the end.
  virtual void begin(const SeedBatchOptions& batches) = 0;
  virtual std::uint64_t batches_per_epoch() const = 0;
  virtual bool next(TrainBatch& batch) = 0;
  /// Completes the seeds. May be called by several threads.
  virtual void complete(TrainBatch&) const {}

  /// Targets of the outputs of the mini-batch's seeds; valid until the next call.
  virtual BatchTargets targets(const TrainBatch& batch) = 0;
  /// Scale in which outputs are the numbers to predict, if the task is regression.
  virtual std::optional<ValueScale> value_scale() const { return std::nullopt; }
  /// Hash of what the task read beside the graph; "" if that was nothing.
  virtual std::string fingerprint() const { return ""; }
  virtual TaskMetrics evaluate(Part part, const GnnModel& model, Inference& inference) const = 0;
};

/// Classification of nodes, with one or several labels each, or regression of a number of each,
/// learnt from the training nodes.
class NodeTask : public TrainTask {
 public:
  /// Fails if the graph has no labels or no training nodes.
  NodeTask(const StoredGraph& graph, const TrainOptions& options);

  std::size_t num_seeds(Part part) const override { return nodes(part).size(); }
  std::size_t num_outputs() const override { return scale_ ? 1 : graph_.num_classes(); }
  std::optional<ValueScale> value_scale() const override { return scale_; }
  BatchMaker::Setup batch_setup() const override;
  std::vector<float> seed_probabilities() const override;
  void begin(const SeedBatchOptions& batches) override { batches_.emplace(train_, batches); }
  std::uint64_t batches_per_epoch() const override { return batches_->per_epoch(); }
  bool next(TrainBatch& batch) override { return batches_->next(batch.links.seeds); }
  BatchTargets targets(const TrainBatch& batch) override;
  TaskMetrics evaluate(Part part, const GnnModel& model, Inference& inference) const override;

 private:
  void check_classes() const;
  void take_scale();
  const std::vector<NodeId>& nodes(Part part) const {
    return part == Part::train ? train_ : part == Part::valid ? valid_ : test_;
  }

  const StoredGraph& graph_;
  const TrainOptions& options_;
  std::vector<NodeId> train_, valid_, test_;
  std::optional<ValueScale> scale_;  ///< of regression
  std::vector<float> scaled_;        ///< the values of a mini-batch
  std::optional<SeedBatches> batches_;
};

}  // namespace frugal::gnn
