#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libcore/metrics/named_values.h"
#include "tools/gnn-sample/batches/train_batch.h"
#include "tools/gnn-sample/network/gnn_loss.h"
#include "tools/gnn-sample/tasks/inference.h"

namespace frugal::gnn {

struct TrainOptions;

/// How well a model does its task.
struct TaskMetrics {
  NamedValues values;    ///< by name
  double score = 0;      ///< higher is better: chooses the epoch that is kept
  double loss = 0;       ///< lower is better: decides between epochs of equal scores
  std::string baseline;  ///< what predictions reach that learn nothing, "" where not known
};

/// What a model is trained for: what mini-batches are sampled for, the loss of one, and how well a
/// model does. Its seeds, nodes or links, are those of a graph that it borrows.
class TrainTask {
 public:
  virtual ~TrainTask() = default;

  /// Seeds of that part: train, valid or test.
  virtual std::size_t num_seeds(Part part) const = 0;
  virtual std::size_t num_outputs() const = 0;
  /// Of mini-batches.
  virtual BatchMaker::Setup batch_setup() const = 0;
  /// How probable it is that a mini-batch has each node as a seed.
  virtual std::vector<float> seed_probabilities() const = 0;

  /// The training seeds from here on, in mini-batches; next(): false at the end.
  virtual void begin(const SeedBatchOptions& batches) = 0;
  virtual std::uint64_t batches_per_epoch() const = 0;
  virtual bool next(TrainBatch& batch) = 0;
  /// Finishes the seeds; for many threads.
  virtual void complete(TrainBatch&) const {}

  /// What the outputs of the mini-batch's seeds are to be; good until the next call.
  virtual BatchTargets targets(const TrainBatch& batch) = 0;
  virtual TaskMetrics evaluate(Part part, const GnnModel& model, Inference& inference) const = 0;
};

/// Says the class of nodes, or which labels they have, learnt from the training nodes.
class NodeTask : public TrainTask {
 public:
  /// Fails where the graph has no labels or no training nodes.
  NodeTask(const StoredGraph& graph, const TrainOptions& options);

  std::size_t num_seeds(Part part) const override { return nodes(part).size(); }
  std::size_t num_outputs() const override { return graph_.num_classes(); }
  BatchMaker::Setup batch_setup() const override;
  std::vector<float> seed_probabilities() const override;
  void begin(const SeedBatchOptions& batches) override { batches_.emplace(train_, batches); }
  std::uint64_t batches_per_epoch() const override { return batches_->per_epoch(); }
  bool next(TrainBatch& batch) override { return batches_->next(batch.links.seeds); }
  BatchTargets targets(const TrainBatch& batch) override {
    return {batch.labels, batch.label_rows, {}};
  }
  TaskMetrics evaluate(Part part, const GnnModel& model, Inference& inference) const override;

 private:
  void check_classes() const;
  const std::vector<NodeId>& nodes(Part part) const {
    return part == Part::train ? train_ : part == Part::valid ? valid_ : test_;
  }

  const StoredGraph& graph_;
  const TrainOptions& options_;
  std::vector<NodeId> train_, valid_, test_;
  std::optional<SeedBatches> batches_;
};

}  // namespace frugal::gnn
