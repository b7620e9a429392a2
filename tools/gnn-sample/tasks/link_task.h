#pragma once
#include <cstdint>
#include <optional>

#include "tools/gnn-sample/batches/link_batches.h"
#include "tools/gnn-sample/data/stored_graph.h"
#include "tools/gnn-sample/tasks/link_split.h"
#include "tools/gnn-sample/tasks/train_task.h"

namespace frugal::gnn {

/// Link prediction by the dot product of the ends' embeddings. Models do not see held-out links in
/// the graph, and the links of a mini-batch are not in its own neighbourhoods.
class LinkTask : public TrainTask {
 public:
  /// Removes held-out edges from the graph, and writes them if the options ask for it. Fails if
  /// none are left to train on.
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
  /// Hash of the held-out links if they were read from a file, else "".
  std::string fingerprint() const override;
  /// Scores all links that were read from a file. If there are more than 100,000 others, scores
  /// every second, third ... of them, at most so many.
  TaskMetrics evaluate(Part part, const GnnModel& model, Inference& inference) const override;

 private:
  const std::vector<Link>& links(Part part) const {
    return part == Part::train ? links_.train : part == Part::valid ? links_.valid : links_.test;
  }
  NegativeLinkOptions negatives() const;

  const StoredGraph& graph_;
  const TrainOptions& options_;
  LinkSplit split_;
  SplitLinks links_;
  std::optional<LinkBatches> batches_;
  /// ends of links, as rows of a mini-batch's outputs
  std::vector<std::uint32_t> sources_, targets_;
};

}  // namespace frugal::gnn
