#include "tools/gnn-sample/tasks/link_task.h"

#include <algorithm>

#include "libcore/kernels/kernels.h"
#include "tools/gnn-sample/settings/train_options.h"

namespace frugal::gnn {

LinkTask::LinkTask(StoredGraph& graph, const TrainOptions& options)
    : graph_(graph), options_(options), goal_(LinkRelation(graph), options) {
  goal_.write();
  graph.keep_edges([&](NodeId source, NodeId target) { return goal_.is_kept(source, target); });
}

std::size_t LinkTask::num_outputs() const { return options_.links.embedding; }

BatchMaker::Setup LinkTask::batch_setup() const {
  BatchMaker::Setup setup;
  setup.sampling = options_.sampling;
  setup.sampling.hide_seed_edges = true;
  setup.max_seeds = goal_.max_seeds();
  setup.seed = options_.seed;
  setup.labels = false;
  return setup;
}

/// Probability of each node as a seed: as an end of a link or a target of a negative.
std::vector<float> LinkTask::seed_probabilities() const {
  const std::vector<Link>& all = links(Part::train);
  const float batch = static_cast<float>(options_.batch_size),
              of_link = batch / static_cast<float>(all.size()),
              of_any = batch * static_cast<float>(options_.links.negatives) /
                       static_cast<float>(graph_.num_nodes());
  std::vector<float> seeds(graph_.num_nodes(), of_any);
  for (const Link& link : all) {
    seeds[link.source] += of_link;
    seeds[link.target] += of_link;
  }
  for (float& p : seeds) p = std::min(p, 1.0F);
  return seeds;
}

void LinkTask::begin(const SeedBatchOptions& batches) {
  batches_.emplace(goal_.training_list(), batches, graph_.csr(), goal_.negatives());
}

BatchTargets LinkTask::targets(const TrainBatch& batch) {
  const auto rows_of = [&](const std::vector<std::uint32_t>& seeds,
                           std::vector<std::uint32_t>& to) {
    to.clear();
    for (const std::uint32_t seed : seeds) to.push_back(batch.sample.seed_place(seed));
  };
  rows_of(batch.links.sources, sources_);
  rows_of(batch.links.targets, targets_);
  return {{}, {}, {sources_, targets_, batch.links.positives.size()}};
}

TaskMetrics LinkTask::evaluate(Part part, const GnnModel& model, Inference& inference) const {
  const LinkRanking ranking = goal_.ranking(part);
  NodeEmbeddings embeddings(graph_.num_nodes(), num_outputs());
  ranking.want(embeddings, embeddings);
  inference.run(
      model, embeddings.make_room(),
      [&](std::size_t first, MatrixView<const float> rows) { embeddings.set(first, rows); });
  const auto score = [&](NodeId source, NodeId target) {
    return kernels().dot(embeddings.row(source), embeddings.row(target), num_outputs());
  };
  TaskMetrics result = ranking.result(score, options_.select);
  heuristics_.add_to(result, part, ranking);
  return result;
}

}  // namespace frugal::gnn
