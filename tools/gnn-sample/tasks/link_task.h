#pragma once
#include <cstdint>
#include <optional>

#include "tools/gnn-sample/batches/link_batches.h"
#include "tools/gnn-sample/data/stored_graph.h"
#include "tools/gnn-sample/tasks/train_task.h"

namespace frugal::gnn {

/// Which links of a graph a model is trained, validated and tested with: by chance, a function of
/// the seed and the ends in either order. An edge's reverse tells as much as the edge itself, as
/// the dot product of two embeddings does not know a direction: they stay together.
class LinkSplit {
 public:
  /// held_out: the share that is not for training, one half for validation, the other for test.
  LinkSplit(double held_out, std::uint64_t seed) : held_out_(held_out), seed_(seed) {}

  Part part(NodeId source, NodeId target) const;

 private:
  double held_out_;
  std::uint64_t seed_;
};

/// The edges of each part, of undirected graphs in one direction, without those from a node to
/// itself, ascending by target, then as in the graph. Fails (unavailable) above 2^32 - 1 of them.
struct SplitLinks {
  SplitLinks(const StoredGraph& graph, const LinkSplit& split);

  std::vector<Link> train, valid, test;
};

/// Tells links from pairs of nodes that have none, by the dot product of the ends' embeddings. What
/// is held out is not in the graph that models see; a link of a mini-batch is not in its own
/// neighbourhoods.
class LinkTask : public TrainTask {
 public:
  /// Takes the edges that are held out from the graph. Fails where none are left to train on.
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
  /// Of some 100,000 links where there are more.
  TaskMetrics evaluate(Part part, const GnnModel& model, Inference& inference) const override;

 private:
  const std::vector<Link>& links(Part part) const {
    return part == Part::train ? links_.train : part == Part::valid ? links_.valid : links_.test;
  }
  NegativeLinkOptions negatives() const;

  const StoredGraph& graph_;
  const TrainOptions& options_;
  SplitLinks links_;
  std::optional<LinkBatches> batches_;
  std::vector<std::uint32_t> sources_, targets_;  ///< rows of a mini-batch's outputs
};

}  // namespace frugal::gnn
