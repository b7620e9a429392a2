#pragma once
#include <optional>

#include "tools/gnn-sample/train_task.h"

namespace frugal::gnn {

/// Says the class of nodes, or which labels they have, learnt from the training nodes.
class NodeTask : public TrainTask {
 public:
  /// Fails where the graph has no labels or no training nodes.
  NodeTask(const StoredGraph& graph, const TrainOptions& options);

  std::size_t num_seeds(Part part) const override { return nodes(part).size(); }
  std::size_t num_outputs() const override { return graph_.num_classes(); }
  BatchMaker::Setup batch_setup() const override;
  void begin(const SeedBatchOptions& batches) override { batches_.emplace(train_, batches); }
  std::uint64_t batches_per_epoch() const override { return batches_->per_epoch(); }
  bool next(TrainBatch& batch) override { return batches_->next(batch.links.seeds); }
  double loss(const TrainBatch& batch, MatrixView<const float> outputs,
              RowStore& gradient) override;
  TaskMetrics evaluate(Part part, const GnnModel& model, Inference& inference) const override;

 private:
  const std::vector<NodeId>& nodes(Part part) const {
    return part == Part::train ? train_ : part == Part::valid ? valid_ : test_;
  }

  const StoredGraph& graph_;
  const TrainOptions& options_;
  std::vector<NodeId> train_, valid_, test_;
  std::optional<SeedBatches> batches_;
};

}  // namespace frugal::gnn
