#pragma once
#include <optional>
#include <vector>

#include "libcore/nn/row_store.h"
#include "tools/gnn-sample/tasks/link_goal.h"
#include "tools/gnn-sample/tasks/link_heuristics.h"
#include "tools/gnn-sample/tasks/typed_task.h"

namespace frugal::gnn {

/// Prediction of the links of one relation of a graph of several types, by the dot product of the
/// embeddings of source and target. Negatives have the link's source and any node of the target's
/// type. Models do not see held-out links, and the links of a mini-batch are not in its own
/// neighbourhoods, neither in the relation nor in its reverse relations (reverse_relations()).
class TypedLinkTask final : public TypedTask {
 public:
  /// Removes held-out edges from the graph. Fails as find_relation() and LinkGoal, and (usage) if a
  /// share of the edges leaves a part without any.
  TypedLinkTask(StoredGraph& graph, const TrainOptions& options);

  std::size_t num_seeds(Part part) const override { return goal_.links(part).size(); }
  std::size_t num_outputs() const override;
  std::size_t seed_type() const override { return goal_.relation().source_type(); }
  std::optional<std::size_t> second_type() const override;
  std::string relation() const override;
  std::map<std::string, std::string> identity() const override;
  void set_up(TypedBatchMaker::Setup& setup) const override;
  void begin(const SeedBatchOptions& batches) override;
  std::uint64_t batches_per_epoch() const override { return batches_->per_epoch(); }
  bool next(TypedBatch& batch) override { return batches_->next(batch.links); }
  void complete(TypedBatch& batch) const override { batches_->complete(batch.links); }
  BatchLoss loss(const TypedBatch& batch, const TypedModel& model, TypedRoom& room) override;
  TaskMetrics evaluate(Part part, const TypedModel& model,
                       TypedInference& inference) const override;

 private:
  void check_parts() const;
  void hold_out(StoredGraph& graph) const;
  void compute(const TypedModel& model, TypedInference& inference, NodeEmbeddings& sources,
               NodeEmbeddings* targets) const;

  const TrainOptions& options_;
  LinkGoal goal_;
  LinkHeuristics heuristics_{goal_.relation()};
  std::vector<std::size_t> reverse_;  ///< relations of the reverse edges
  std::optional<LinkBatches> batches_;
  std::vector<std::uint32_t> sources_, targets_;  ///< ends of a batch's links as rows of `rows_`
  RowStore rows_, gradients_;                     ///< outputs of the first type, then of the second
};

}  // namespace frugal::gnn
