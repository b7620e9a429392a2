#include "tools/gnn-sample/tasks/link_task.h"

#include <algorithm>
#include <limits>

#include "libcore/base/error.h"
#include "libcore/base/hash.h"
#include "libcore/base/log.h"
#include "libcore/base/rng.h"
#include "libcore/kernels/kernels.h"
#include "tools/gnn-sample/settings/train_options.h"
#include "tools/gnn-sample/tasks/task_metrics.h"

namespace frugal::gnn {
namespace {

constexpr std::uint64_t kScoredNegatives = 0x6c696e6b6576616c;
constexpr std::size_t kMostDrawn = 100000;  ///< scored links of a part that was drawn by chance
constexpr std::uint64_t kMaxLinks = std::uint64_t{1} << 26;

/// Embeddings of some nodes of a graph.
class Embeddings {
 public:
  Embeddings(std::size_t num_nodes, std::size_t dim) : places_(num_nodes, kNone), dim_(dim) {}

  void want(NodeId node) { places_[node] = 0; }
  void compute(const GnnModel& model, Inference& inference) {
    std::vector<NodeId> nodes;
    for (std::size_t v = 0; v < places_.size(); ++v) {
      if (places_[v] == kNone) continue;
      places_[v] = static_cast<std::uint32_t>(nodes.size());
      nodes.push_back(static_cast<NodeId>(v));
    }
    rows_ = Array<float>(nodes.size() * dim_);
    inference.run(model, nodes, [&](std::size_t first, MatrixView<const float> rows) {
      for (std::size_t r = 0; r < rows.rows; ++r) {
        std::copy_n(rows.row(r), dim_, rows_.data() + (first + r) * dim_);
      }
    });
  }
  float dot(NodeId a, NodeId b) const {
    return kernels().dot(rows_.data() + places_[a] * dim_, rows_.data() + places_[b] * dim_, dim_);
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::vector<std::uint32_t> places_;
  std::size_t dim_;
  Array<float> rows_;
};

}  // namespace

namespace {

LinkSplit split_of(const StoredGraph& graph, const TrainOptions& options) {
  const LinkTaskOptions& links = options.links;
  return links.held_out_edges.empty() ? LinkSplit(links.held_out, options.seed)
                                      : LinkSplit::read(links.held_out_edges, graph);
}

std::uint64_t hash_of(const std::vector<Link>& links) {
  return hash_bytes(links.data(), links.size() * sizeof(Link));
}

}  // namespace

LinkTask::LinkTask(StoredGraph& graph, const TrainOptions& options)
    : graph_(graph), options_(options), split_(split_of(graph, options)), links_(graph, split_) {
  if (links_.train.empty()) {
    fail(ExitStatus::bad_input, graph.path(), ": there are no edges to train on");
  }
  if (graph.num_nodes() < 3) {
    fail(ExitStatus::bad_input, graph.path(), ": there are ", graph.num_nodes(),
         " nodes, expected at least 3, one that is not of the link");
  }
  if (batch_setup().max_seeds == 0) {
    fail(ExitStatus::usage, "--batch-size ", options.batch_size, " with --negatives ",
         options.links.negatives, " makes more than ", kMaxLinks, " seeds");
  }
  if (options.sampling.method != "uniform") {
    fail(ExitStatus::usage, "--task links goes with --method uniform alone, found ",
         options.sampling.method);
  }
  if (links_.train.size() < 2 * std::size_t{options.batch_size}) {
    log_warning("--batch-size ", options.batch_size, " of ", links_.train.size(),
                " edges to train with: a mini-batch does not see its own edges, a smaller one has "
                "more neighbours");
  }
  if (!options.links.write_held_out.empty()) {
    write_held_out(options.links.write_held_out, graph, links_);
  }
  graph.keep_edges([&](NodeId source, NodeId target) {
    return source == target || split_.part(source, target) == Part::train;
  });
}

std::string LinkTask::fingerprint() const {
  if (!split_.is_read()) return "";
  return std::to_string(hash_combine(hash_of(links_.valid), hash_of(links_.test)));
}

std::size_t LinkTask::num_outputs() const { return options_.links.embedding; }

NegativeLinkOptions LinkTask::negatives() const {
  NegativeLinkOptions negatives;
  negatives.per_link = options_.links.negatives;
  return negatives;
}

BatchMaker::Setup LinkTask::batch_setup() const {
  BatchMaker::Setup setup;
  setup.sampling = options_.sampling;
  setup.sampling.hide_seed_edges = true;
  const std::uint64_t seeds = LinkBatches::max_seeds(options_.batch_size, negatives());
  setup.max_seeds = seeds > kMaxLinks ? 0 : static_cast<std::uint32_t>(seeds);
  setup.seed = options_.seed;
  setup.labels = false;
  return setup;
}

/// Probability of each node as a seed: as an end of a link or a target of a negative.
std::vector<float> LinkTask::seed_probabilities() const {
  const float links = static_cast<float>(options_.batch_size),
              of_link = links / static_cast<float>(links_.train.size()),
              of_any = links * static_cast<float>(options_.links.negatives) /
                       static_cast<float>(graph_.num_nodes());
  std::vector<float> seeds(graph_.num_nodes(), of_any);
  for (const Link& link : links_.train) {
    seeds[link.source] += of_link;
    seeds[link.target] += of_link;
  }
  for (float& p : seeds) p = std::min(p, 1.0F);
  return seeds;
}

void LinkTask::begin(const SeedBatchOptions& batches) {
  LinkList list;
  list.links = links_.train;
  list.either_way = !graph_.directed();
  batches_.emplace(std::move(list), batches, graph_.csr(), negatives());
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
  const std::vector<Link>& all = links(part);
  const std::size_t step = split_.is_read() ? 1 : (all.size() + kMostDrawn - 1) / kMostDrawn;
  const std::size_t drawn = options_.links.eval_negatives;
  // Any node but the link's own two.
  const auto negatives_of = [&](std::size_t link, std::vector<NodeId>& targets) {
    const Rng rng(options_.seed, kScoredNegatives + static_cast<std::uint64_t>(part));
    const auto [low, high] = std::minmax(all[link].source, all[link].target);
    targets.resize(drawn);
    for (std::size_t i = 0; i < drawn; ++i) {
      const std::uint64_t number = rng.at(link * drawn + i) >> 32;
      NodeId& target = targets[i] = static_cast<NodeId>(number * (graph_.num_nodes() - 2) >> 32);
      if (target >= low) ++target;
      if (target >= high) ++target;
    }
  };
  Embeddings embeddings(graph_.num_nodes(), num_outputs());
  std::vector<NodeId> targets;
  for (std::size_t l = 0; l < all.size(); l += step) {
    embeddings.want(all[l].source);
    embeddings.want(all[l].target);
    negatives_of(l, targets);
    for (const NodeId target : targets) embeddings.want(target);
  }
  embeddings.compute(model, inference);
  LinkMetrics metrics;
  std::vector<float> scores(drawn);
  for (std::size_t l = 0; l < all.size(); l += step) {
    negatives_of(l, targets);
    for (std::size_t i = 0; i < drawn; ++i) {
      scores[i] = embeddings.dot(all[l].source, targets[i]);
    }
    metrics.add(embeddings.dot(all[l].source, all[l].target), scores);
  }
  const double score = options_.select == "loss"  ? -metrics.loss()
                       : options_.select == "auc" ? metrics.auc()
                                                  : metrics.mrr();
  return {metrics.values(), score, metrics.loss(), ""};
}

}  // namespace frugal::gnn
