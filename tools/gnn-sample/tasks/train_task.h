#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libcore/metrics/value_metrics.h"
#include "tools/gnn-sample/batches/train_batch.h"
#include "tools/gnn-sample/network/gnn_loss.h"
#include "tools/gnn-sample/network/link_score.h"
#include "tools/gnn-sample/tasks/inference.h"
#include "tools/gnn-sample/tasks/labelled_nodes.h"
#include "tools/gnn-sample/tasks/task_metrics.h"

namespace frugal::gnn {

struct TrainOptions;

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
  /// Chooses the score of pairs for a trained model by validation; from then on evaluate() uses it.
  virtual LinkScore choose_link_score(const GnnModel&, Inference&) { return {}; }
};

/// Classification of nodes, with one or several labels each, or regression of a number of each,
/// learnt from the training nodes.
class NodeTask : public TrainTask {
 public:
  /// Fails if the graph has no labels or no training nodes.
  NodeTask(const StoredGraph& graph, const TrainOptions& options);

  std::size_t num_seeds(Part part) const override { return nodes(part).size(); }
  std::size_t num_outputs() const override { return goal_.num_outputs(); }
  std::optional<ValueScale> value_scale() const override { return goal_.value_scale(); }
  BatchMaker::Setup batch_setup() const override;
  std::vector<float> seed_probabilities() const override;
  void begin(const SeedBatchOptions& batches) override {
    batches_.emplace(nodes(Part::train), batches);
  }
  std::uint64_t batches_per_epoch() const override { return batches_->per_epoch(); }
  bool next(TrainBatch& batch) override { return batches_->next(batch.links.seeds); }
  BatchTargets targets(const TrainBatch& batch) override { return goal_.targets(batch.labels); }
  TaskMetrics evaluate(Part part, const GnnModel& model, Inference& inference) const override;

 private:
  const std::vector<NodeId>& nodes(Part part) const { return goal_.nodes(part); }

  const StoredGraph& graph_;
  const TrainOptions& options_;
  LabelledNodes goal_;
  std::optional<SeedBatches> batches_;
};

}  // namespace frugal::gnn
