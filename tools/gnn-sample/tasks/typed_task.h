#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libcore/metrics/value_metrics.h"
#include "tools/gnn-sample/batches/typed_batch.h"
#include "tools/gnn-sample/tasks/labelled_nodes.h"
#include "tools/gnn-sample/tasks/task_metrics.h"
#include "tools/gnn-sample/tasks/typed_inference.h"

namespace frugal::gnn {

struct TrainOptions;

/// Task of a training on a graph of several types: defines the seeds of mini-batches, the loss of
/// their outputs, and the evaluation of a model. Borrows the graph and the options.
class TypedTask {
 public:
  virtual ~TypedTask() = default;

  /// Number of seeds in a part: nodes or links.
  virtual std::size_t num_seeds(Part part) const = 0;
  virtual std::size_t num_outputs() const = 0;
  /// Scale in which outputs are the numbers to predict, if the task is regression.
  virtual std::optional<ValueScale> value_scale() const { return std::nullopt; }
  /// Indices, in GraphContent::nodes, of the types with outputs (TypedSchema::seeds, second).
  virtual std::size_t seed_type() const = 0;
  virtual std::optional<std::size_t> second_type() const { return std::nullopt; }
  /// SOURCE:RELATION:TARGET of the links to predict; "" if it predicts none.
  virtual std::string relation() const { return ""; }
  /// Texts by name that a training must share with a checkpoint to resume it.
  virtual std::map<std::string, std::string> identity() const = 0;
  /// Completes the setup of mini-batches: seeds, labels and hidden links.
  virtual void set_up(TypedBatchMaker::Setup& setup) const = 0;

  /// Starts the mini-batches of training seeds; next() returns false at the end.
  virtual void begin(const SeedBatchOptions& batches) = 0;
  virtual std::uint64_t batches_per_epoch() const = 0;
  virtual bool next(TypedBatch& batch) = 0;
  /// Completes the seeds. May be called by several threads.
  virtual void complete(TypedBatch&) const {}

  struct BatchLoss {
    double sum = 0;  ///< of the samples' losses
    std::uint64_t samples = 0;
  };
  /// The loss of the outputs in the room. Writes their gradient there.
  virtual BatchLoss loss(const TypedBatch& batch, const TypedModel& model, TypedRoom& room) = 0;
  virtual TaskMetrics evaluate(Part part, const TypedModel& model,
                               TypedInference& inference) const = 0;
};

/// Classes or numbers of nodes of one type, learnt from the training nodes.
class TypedNodeTask final : public TypedTask {
 public:
  TypedNodeTask(const StoredGraph& graph, const TrainOptions& options);

  std::size_t num_seeds(Part part) const override { return goal_.nodes(part).size(); }
  std::size_t num_outputs() const override { return goal_.num_outputs(); }
  std::optional<ValueScale> value_scale() const override { return goal_.value_scale(); }
  std::size_t seed_type() const override { return type_; }
  std::map<std::string, std::string> identity() const override {
    return {{"type of the training nodes", goal_.set().type}};
  }
  void set_up(TypedBatchMaker::Setup& setup) const override;
  void begin(const SeedBatchOptions& batches) override {
    batches_.emplace(goal_.nodes(Part::train), batches);
  }
  std::uint64_t batches_per_epoch() const override { return batches_->per_epoch(); }
  bool next(TypedBatch& batch) override { return batches_->next(batch.links.seeds); }
  BatchLoss loss(const TypedBatch& batch, const TypedModel& model, TypedRoom& room) override;
  TaskMetrics evaluate(Part part, const TypedModel& model,
                       TypedInference& inference) const override;

 private:
  const TrainOptions& options_;
  std::size_t type_;
  LabelledNodes goal_;
  std::optional<SeedBatches> batches_;
};

}  // namespace frugal::gnn
