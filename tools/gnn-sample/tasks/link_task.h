#pragma once
#include <cstdint>
#include <optional>

#include "tools/gnn-sample/batches/link_batches.h"
#include "tools/gnn-sample/data/stored_graph.h"
#include "tools/gnn-sample/tasks/link_goal.h"
#include "tools/gnn-sample/tasks/link_heuristics.h"
#include "tools/gnn-sample/tasks/train_task.h"

namespace frugal::gnn {

/// Link prediction by the dot product of the ends' embeddings and, once the model is trained, their
/// common neighbours. Models do not see held-out links in
/// the graph, and the links of a mini-batch are not in its own neighbourhoods.
class LinkTask : public TrainTask {
 public:
  /// Removes held-out edges from the graph. Fails as LinkGoal.
  LinkTask(StoredGraph& graph, const TrainOptions& options);

  std::size_t num_seeds(Part part) const override { return links(part).size(); }
  std::size_t num_outputs() const override;
  BatchMaker::Setup batch_setup() const override;
  std::vector<float> seed_probabilities() const override;
  void begin(const SeedBatchOptions& batches) override;
  std::uint64_t batches_per_epoch() const override { return batches_->per_epoch(); }
  bool next(TrainBatch& batch) override { return batches_->next(batch.links); }
  void complete(TrainBatch& batch) const override { batches_->complete(batch.links); }
  BatchTargets targets(const TrainBatch& batch) override;
  std::string fingerprint() const override { return goal_.fingerprint(); }
  TaskMetrics evaluate(Part part, const GnnModel& model, Inference& inference) const override;
  LinkScore choose_link_score(const GnnModel& model, Inference& inference) override;

 private:
  NodeEmbeddings embed(const LinkRanking& ranking, const GnnModel& model,
                       Inference& inference) const;
  const std::vector<Link>& links(Part part) const { return goal_.links(part); }

  const StoredGraph& graph_;
  const TrainOptions& options_;
  LinkGoal goal_;
  LinkHeuristics heuristics_{goal_.relation()};
  LinkScore score_;
  std::optional<LinkBatches> batches_;
  /// ends of links, as rows of a mini-batch's outputs
  std::vector<std::uint32_t> sources_, targets_;
};

}  // namespace frugal::gnn
