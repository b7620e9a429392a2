#include "tools/sparse-train/tree/forest_trainer.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <set>

#include "libcore/base/error.h"
#include "libcore/base/hash.h"
#include "libcore/base/text.h"
#include "libcore/system/free_memory.h"
#include "libcore/system/limits.h"
#include "libcore/threading/parallel.h"
#include "tools/sparse-train/tree/label_features.h"

namespace frugal::sparse {
namespace {

constexpr std::uint64_t kTreeStream = 22;
/// A node is shared out in parts from so much work on, in features times blocks of classifiers: a
/// share of the tree's, so that many threads have some even where one node has it all.
constexpr std::uint64_t kParts = 64, kLeastWork = 100000, kMostWork = 20000000;
/// Weights of nodes whose memory, once free, is given back at a time.
constexpr std::uint64_t kMuchFree = std::uint64_t{1} << 24;
/// A tree's memory is predicted after each of so many equal shares of its weights, but the first.
constexpr double kForecasts = 16;

std::uint64_t seed_of_tree(std::uint64_t seed, std::uint64_t t) {
  return hash_combine(hash_combine(seed, kTreeStream), t);
}

std::vector<bool> carried_labels(const Dataset& data) {
  std::vector<bool> result(data.num_labels);
  for (const std::uint32_t l : data.labels) result[l] = true;
  return result;
}

/// Puts the chunks of all nodes one behind the other. A tree of many labels takes gigabytes: what
/// the chunks free on the way must not stay with the process.
void join_nodes(std::vector<NodeWeights>& nodes, LabelTree& tree) {
  tree.row_begin.assign(1, 0);
  tree.weight_begin.assign(1, 0);
  for (const NodeWeights& node : nodes) {
    tree.row_begin.push_back(tree.row_begin.back() + node.features.size());
    tree.weight_begin.push_back(tree.weight_begin.back() + node.weights.size());
  }
  tree.features.reserve(tree.row_begin.back());
  tree.ends.reserve(tree.row_begin.back());
  tree.weights.reserve(tree.weight_begin.back());
  std::uint64_t free = tree.weight_begin.back();  // about what learning left behind
  for (NodeWeights& node : nodes) {
    if (free >= kMuchFree) {
      return_free_memory();
      free = 0;
    }
    free += node.weights.size();
    tree.features.insert(tree.features.end(), node.features.begin(), node.features.end());
    tree.ends.insert(tree.ends.end(), node.ends.begin(), node.ends.end());
    tree.weights.insert(tree.weights.end(), node.weights.begin(), node.weights.end());
    node = NodeWeights();
  }
}

/// Predicts the memory of a tree by what its nodes have taken so far.
class MemoryForecast {
 public:
  /// most_weights: upper bound of the number of weights of all nodes.
  MemoryForecast(std::uint64_t most_weights, std::size_t labels)
      : most_weights_(static_cast<double>(most_weights)), labels_(labels) {}

  /// Takes the bytes of more nodes into account. Fails (unavailable) if the rest of the tree would
  /// take more memory than is left.
  void add(std::uint64_t most_weights, std::uint64_t bytes) {
    done_ += static_cast<double>(most_weights);
    bytes_ += static_cast<double>(bytes);
    const double share = done_ / most_weights_;
    if (!(share * kForecasts >= next_ && share < 1)) return;  // without examples it is no number
    check_memory("the rest of a tree of " + format_count(labels_, "label") +
                     " (a larger --tree-prune keeps fewer weights)",
                 static_cast<std::uint64_t>(bytes_ * (1 / share - 1)));
    next_ = std::floor(share * kForecasts) + 1;
  }

 private:
  double most_weights_, done_ = 0, bytes_ = 0, next_ = 2;
  std::size_t labels_;
};

}  // namespace

/// Some children of a node, trained by one thread.
struct ForestTrainer::Job {
  std::uint32_t node = 0;
  std::uint32_t child_begin = 0;
  std::uint32_t child_end = 0;
  std::uint64_t work = 0;
  std::uint64_t most_weights = 0;  ///< upper bound of the number of its weights
};

/// All trees are laid out first: the labels' features take more memory than anything else, and are
/// gone when the classifiers come.
ForestTrainer::ForestTrainer(const Dataset& data, const ForestOptions& options, std::uint64_t first,
                             const ForestStart* start, Communicator* ranks)
    : data_(data),
      options_(options),
      first_(first),
      start_(start),
      ranks_(ranks == nullptr ? *alone_ : *ranks) {
  if (start != nullptr) {
    for (std::uint64_t t = first; t < options.trees; ++t)
      shapes_.push_back(start->forest.trees[t].shape);
    return;
  }
  const auto owner_of = [&](std::uint64_t t) {
    return static_cast<int>((t - first) % static_cast<std::uint64_t>(ranks_.size()));
  };
  shapes_.resize(options.trees - first);
  if (static_cast<std::uint64_t>(ranks_.rank()) < shapes_.size()) {
    cluster_trees([&](std::uint64_t t) { return owner_of(t) == ranks_.rank(); });
  }
  for (std::uint64_t t = first; ranks_.size() > 1 && t < options.trees; ++t)
    broadcast_shape(ranks_, owner_of(t), shapes_[t - first]);
}

void ForestTrainer::cluster_trees(const std::function<bool(std::uint64_t t)>& is_wanted) {
  const std::vector<bool> carried = carried_labels(data_);
  const auto labels = static_cast<std::uint64_t>(std::count(carried.begin(), carried.end(), true));
  const SparseRows features =
      labels > options_.clusters.leaf_size ? label_features(data_) : SparseRows();
  for (std::uint64_t t = first_; t < options_.trees; ++t) {
    if (!is_wanted(t)) continue;
    ClusterOptions clusters = options_.clusters;
    if (t % 2 == 1) {
      clusters.arity = options_.second_arity;
      clusters.root_clusters = 1;
    }
    clusters.seed = seed_of_tree(options_.seed, t);
    shapes_[t - first_] = cluster_labels(features, carried, clusters);
  }
}

std::vector<ForestTrainer::Job> ForestTrainer::jobs_of(const Dataset& data, const TreeShape& shape,
                                                       const TreeExamples& examples) {
  const auto blocks = [](std::uint64_t children) {
    return (children + kDualLanes - 1) / kDualLanes;
  };
  std::vector<std::uint64_t> features(shape.num_nodes());
  std::uint64_t total = 0;
  for (std::uint32_t n = 0; n < shape.num_nodes(); ++n) {
    for (const std::uint32_t e : examples.of(n)) features[n] += data.features_of(e).size() + 1;
    total += features[n] * blocks(shape.num_children(n));
  }
  const std::uint64_t most = std::clamp(total / kParts, kLeastWork, kMostWork);
  std::vector<Job> jobs;
  for (std::uint32_t n = 0; n < shape.num_nodes(); ++n) {
    const std::uint32_t children = shape.num_children(n);
    const std::uint64_t blocks_a_job = std::max<std::uint64_t>(1, most / (features[n] + 1));
    const auto step = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(blocks_a_job * kDualLanes, kMostChildren));
    for (std::uint32_t c = 0; c < children; c += step) {
      const std::uint32_t end = std::min(c + step, children);
      const std::uint64_t rows = std::min<std::uint64_t>(features[n], data.num_features);
      jobs.push_back({n, c, end, features[n] * blocks(end - c), rows * (end - c)});
    }
  }
  return jobs;
}

std::optional<LabelTree> ForestTrainer::train(std::uint64_t t, const TreeProgress& progress) const {
  const TreeShape& shape = shapes_[t - first_];
  const TreeExamples examples(data_, shape);
  const std::vector<Job> jobs = jobs_of(data_, shape, examples);
  std::vector<std::uint64_t> work;
  for (const Job& job : jobs) work.push_back(job.work);
  const std::vector<std::uint32_t> owner = deal_jobs(work, static_cast<std::size_t>(ranks_.size()));
  std::vector<std::uint32_t> mine;
  for (std::uint32_t j = 0; j < jobs.size(); ++j) {
    if (owner[j] == static_cast<std::uint32_t>(ranks_.rank())) mine.push_back(j);
  }
  // The longest first: no thread is left with a long one at the end.
  std::ranges::stable_sort(mine,
                           [&](std::uint32_t a, std::uint32_t b) { return work[a] > work[b]; });
  std::vector<TrainedJob> trained(jobs.size());
  const bool stopped = !train_jobs(t, examples, jobs, mine, progress, trained);
  if (any_of_ranks(ranks_, stopped ? 1 : 0) != 0) return std::nullopt;
  bring_to_first(ranks_, owner, trained);
  if (ranks_.rank() != 0) return LabelTree();
  return join_jobs(shape, jobs, trained);
}

/// By all threads. False: `progress` stopped it.
bool ForestTrainer::train_jobs(std::uint64_t t, const TreeExamples& examples,
                               const std::vector<Job>& jobs, const std::vector<std::uint32_t>& mine,
                               const TreeProgress& progress,
                               std::vector<TrainedJob>& trained) const {
  const TreeShape& shape = shapes_[t - first_];
  NodeTrainerOptions nodes = options_.nodes;
  nodes.seed = seed_of_tree(options_.seed, t);
  std::uint64_t total = 0, done = 0, most_weights = 0;
  std::vector<std::uint32_t> jobs_of_node(shape.num_nodes());
  for (const std::uint32_t j : mine) {
    total += jobs[j].work;
    most_weights += jobs[j].most_weights;
    ++jobs_of_node[jobs[j].node];
  }
  MemoryForecast memory(most_weights, shape.labels.size());
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stopped{false};
  std::mutex mutex;
  std::optional<TreeStart> start;
  if (start_ != nullptr) start.emplace(TreeStart{start_->forest.trees[t], start_->fresh[t]});
  NodeSource source(data_, examples, jobs_of_node, start ? &start->tree : nullptr);
  parallel_threads([&](int) {
    NodeTrainer trainer(examples, source, nodes, start);
    for (std::size_t i; !stopped && (i = next++) < mine.size();) {
      const Job& job = jobs[mine[i]];
      auto& [part, whole] = trained[mine[i]];
      part = trainer.train(job.node, job.child_begin, job.child_end);
      if (job.child_end - job.child_begin == shape.num_children(job.node)) {
        whole = join_parts({&part, 1});
        trainer.recycle(part);
      }
      const std::lock_guard lock(mutex);
      try {
        memory.add(job.most_weights, part.num_bytes() + whole.num_bytes());
      } catch (...) {
        stopped = true;  // the other threads take no more jobs
        throw;
      }
      done += job.work;
      if (progress && !progress(static_cast<double>(done) / static_cast<double>(total)))
        stopped = true;
    }
  });
  return !stopped;
}

LabelTree ForestTrainer::join_jobs(const TreeShape& shape, const std::vector<Job>& jobs,
                                   std::vector<TrainedJob>& trained) {
  LabelTree tree;
  tree.shape = shape;
  std::vector<NodeWeights> chunks(shape.num_nodes());
  std::size_t first = 0;
  tree.bias.reserve(shape.num_slots());
  for (std::uint32_t n = 0; n < chunks.size(); ++n) {
    std::vector<NodePart> parts;
    for (; first < jobs.size() && jobs[first].node == n; ++first) {
      auto& [part, whole] = trained[first];
      tree.bias.insert(tree.bias.end(), part.bias.begin(), part.bias.end());
      chunks[n] = std::move(whole);
      parts.push_back(std::move(part));
    }
    if (parts.size() > 1) chunks[n] = join_parts(parts);
  }
  join_nodes(chunks, tree);
  tree.build_directory();
  return tree;
}

bool grow_forest(const Dataset& data, const ForestOptions& options, const ForestObserver& observer,
                 LabelForest& forest, const ForestStart* start, Communicator* ranks) {
  forest.num_features = data.num_features;
  forest.num_labels = data.num_labels;
  forest.beam = options.beam;
  if (forest.trees.size() >= options.trees) return true;
  const ForestTrainer trainer(data, options, forest.trees.size(), start, ranks);
  bool more = true;
  while (more && forest.trees.size() < options.trees) {
    const std::size_t t = forest.trees.size();
    std::optional<LabelTree> tree = trainer.train(t, [&](double share) {
      return !observer.progress || observer.progress(static_cast<double>(t) + share);
    });
    if (!tree) return false;
    forest.trees.push_back(std::move(*tree));
    if (observer.grown) more = observer.grown();
    if (ranks != nullptr) more = any_of_ranks(*ranks, more ? 0 : 1) == 0;
  }
  return true;
}

namespace {

constexpr float kNo = -1;  ///< where the loss of a negative example begins

/// Labels that examples of the data have and the tree lacks, ascending.
std::vector<std::uint32_t> missing_labels(const TreeShape& shape, const Dataset& data) {
  std::vector<bool> missing(data.num_labels);
  for (const std::uint32_t l : data.labels) missing[l] = true;
  for (const std::uint32_t l : shape.labels) missing[l] = false;
  std::vector<std::uint32_t> labels;
  for (std::uint32_t l = 0; l < data.num_labels; ++l) {
    if (missing[l]) labels.push_back(l);
  }
  return labels;
}

std::span<const std::uint32_t> features_of(const SparseRows& rows, std::uint32_t r) {
  return {rows.features.data() + rows.begin[r], rows.features.data() + rows.begin[r + 1]};
}
std::span<const float> values_of(const SparseRows& rows, std::uint32_t r) {
  return {rows.values.data() + rows.begin[r], rows.values.data() + rows.begin[r + 1]};
}

/// The leaf that the best child of each node leads to.
std::uint32_t leaf_of(const LabelTree& tree, std::span<const std::uint32_t> features,
                      std::span<const float> values) {
  std::uint32_t node = 0;
  std::vector<float> scores;
  while (!tree.shape.is_leaf(node)) {
    scores.resize(tree.shape.num_children(node));
    tree.score_children(node, features, values, scores.data());
    const auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();
    node = tree.shape.slot_begin[node] + static_cast<std::uint32_t>(best) + 1;
  }
  return node;
}

/// Puts the labels behind those of their leaves; the numbers of nodes and children stay.
void insert_labels(const std::map<std::uint32_t, std::vector<std::uint32_t>>& of_leaf,
                   LabelTree& tree) {
  TreeShape shape;
  std::vector<float> bias;
  for (std::uint32_t n = 0; n < tree.shape.num_nodes(); ++n) {
    shape.slot_begin.push_back(static_cast<std::uint32_t>(bias.size()));
    for (std::uint32_t s = tree.shape.slot_begin[n]; s < tree.shape.slot_begin[n + 1]; ++s) {
      bias.push_back(tree.bias[s]);
      if (tree.shape.is_leaf(n)) shape.labels.push_back(tree.shape.label_of(s));
    }
    const auto added = of_leaf.find(n);
    if (added == of_leaf.end()) continue;
    bias.insert(bias.end(), added->second.size(), kNo);
    shape.labels.insert(shape.labels.end(), added->second.begin(), added->second.end());
    const std::size_t children = bias.size() - shape.slot_begin.back();
    if (children > kMostChildren) {
      fail(ExitStatus::unavailable, "a leaf would have ", children, " labels, at most ",
           kMostChildren, " are possible: train anew, with all data");
    }
  }
  shape.slot_begin.push_back(static_cast<std::uint32_t>(bias.size()));
  tree.shape = std::move(shape);
  tree.bias = std::move(bias);
}

/// The slots of `labels` and of all nodes above them.
std::vector<bool> slots_above(const TreeShape& shape, const std::vector<std::uint32_t>& labels) {
  const std::set<std::uint32_t> wanted(labels.begin(), labels.end());
  std::vector<bool> result(shape.num_slots());
  for (std::uint32_t node = shape.num_nodes(); node-- > 0;) {
    bool any = false;
    for (std::uint32_t s = shape.slot_begin[node]; s < shape.slot_begin[node + 1]; ++s) {
      if (shape.is_leaf(node)) result[s] = wanted.count(shape.label_of(s)) != 0;
      any |= result[s];
    }
    if (node > 0) result[node - 1] = any;
  }
  return result;
}

}  // namespace

ForestStart extend_forest(LabelForest forest, const Dataset& data) {
  forest.num_features = data.num_features;
  forest.num_labels = data.num_labels;
  ForestStart start;
  SparseRows features;
  for (LabelTree& tree : forest.trees) {
    const std::vector<std::uint32_t> missing = missing_labels(tree.shape, data);
    start.fresh.emplace_back(tree.shape.num_slots());
    if (missing.empty()) continue;
    if (features.size() == 0) features = label_features(data);
    std::map<std::uint32_t, std::vector<std::uint32_t>> of_leaf;
    for (const std::uint32_t l : missing)
      of_leaf[leaf_of(tree, features_of(features, l), values_of(features, l))].push_back(l);
    insert_labels(of_leaf, tree);
    start.fresh.back() = slots_above(tree.shape, missing);
  }
  start.forest = std::move(forest);
  return start;
}

}  // namespace frugal::sparse
