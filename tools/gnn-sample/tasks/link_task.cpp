#include "tools/gnn-sample/tasks/link_task.h"

#include <algorithm>
#include <limits>

#include "tools/gnn-sample/settings/train_options.h"
#include "tools/gnn-sample/tasks/common_neighbors.h"

namespace frugal::gnn {
namespace {

/// Weights of common neighbours that are tried beside 0.
constexpr float kCommonNeighborWeights[] = {0.25F, 0.5F, 1, 2, 4, 8, 16};
/// Scales of such a score, and biases, which leave its ranks alone.
constexpr float kScoreScales[] = {1, 0.5F, 0.25F, 0.125F, 0.0625F};
constexpr float kScoreBiases[] = {0, -0.5F, -1, -1.5F, -2, -3, -4};

}  // namespace

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

NodeEmbeddings LinkTask::embed(const LinkRanking& ranking, const GnnModel& model,
                               Inference& inference) const {
  NodeEmbeddings embeddings(graph_.num_nodes(), num_outputs());
  ranking.want(embeddings, embeddings);
  inference.run(
      model, embeddings.make_room(),
      [&](std::size_t first, MatrixView<const float> rows) { embeddings.set(first, rows); });
  return embeddings;
}

TaskMetrics LinkTask::evaluate(Part part, const GnnModel& model, Inference& inference) const {
  const LinkRanking ranking = goal_.ranking(part);
  const NodeEmbeddings embeddings = embed(ranking, model, inference);
  std::optional<AdamicAdar> common;
  if (score_.common_neighbors != 0) common.emplace(graph_.csr());
  const auto score = [&](NodeId source, NodeId target) {
    return score_.of(embeddings.dot(source, embeddings, target),
                     common ? (*common)(source, target) : 0);
  };
  TaskMetrics result = ranking.result(score, options_.select);
  heuristics_.add_to(result, part, ranking);
  return result;
}

/// Common neighbours that rank no better than chance do not count. Pairs are looked at once: each
/// choice ranks them by the same two numbers. The weight of common neighbours is chosen by the
/// ranks, then scale and bias by the loss.
LinkScore LinkTask::choose_link_score(const GnnModel& model, Inference& inference) {
  const LinkRanking ranking = goal_.ranking(Part::valid);
  const NodeEmbeddings embeddings = embed(ranking, model, inference);
  AdamicAdar common(graph_.csr());
  std::vector<float> products, sums;
  const auto of_network = [&](NodeId source, NodeId target) {
    products.push_back(embeddings.dot(source, embeddings, target));
    sums.push_back(common(source, target));
    return products.back();
  };
  const auto with = [&](const LinkScore& score) {
    return [&products, &sums, score, pair = std::size_t{0}](NodeId, NodeId) mutable {
      const std::size_t at = pair++;
      return score.of(products[at], sums[at]);
    };
  };
  double best = ranking.result(of_network, options_.select).score;
  LinkScore found;
  for (const float weight : kCommonNeighborWeights) {
    const TaskMetrics result = ranking.result(with({1, weight, 0}), options_.select);
    const double mrr = result.values.front().second;
    if (!(result.score > best) || mrr <= ranking.chance()) continue;
    best = result.score;
    found.common_neighbors = weight;
  }
  if (found.common_neighbors == 0) return score_;
  double least = std::numeric_limits<double>::infinity();
  for (const float scale : kScoreScales) {
    for (const float bias : kScoreBiases) {
      const LinkScore scaled{scale, scale * found.common_neighbors, bias};
      const double loss = ranking.rank(with(scaled)).loss();
      if (!(loss < least)) continue;
      least = loss;
      score_ = scaled;
    }
  }
  return score_;
}

}  // namespace frugal::gnn
