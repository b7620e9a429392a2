#include "tools/sparse-train/tree/label_clusters.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <numeric>

#include "libcore/base/hash.h"
#include "libcore/base/rng.h"
#include "libcore/threading/parallel.h"
#include "tools/sparse-train/tree/k_means.h"

namespace frugal::sparse {
namespace {

constexpr std::uint64_t kSplitStream = 20;
constexpr std::uint64_t kRootStream = 23;
/// Splits of more labels are fitted on so many of them.
constexpr std::size_t kSample = 16384;
constexpr int kMaxSplitRounds = 30;
/// Rounds end when the mean similarity of a label and its centre grows by less.
constexpr double kLeastSplitGain = 1e-4;

struct Similarities {
  float to[2] = {0, 0};
};

/// Splits sets of labels in two. Holds the two centres, unscaled sums of their labels' vectors,
/// side by side for each feature: a label's products with both cost one look-up each.
class Splitter {
 public:
  explicit Splitter(const SparseRows& vectors)
      : vectors_(vectors), centres_(vectors.num_features) {}

  /// Fits two centres to halves of `labels`, at least two.
  void fit(std::span<const std::uint32_t> labels, Rng rng);
  /// Puts the labels that are nearer to the first centre first, half of them.
  void divide(std::span<std::uint32_t> labels, bool parallel);
  /// Forgets the centres of fit(labels).
  void clear(std::span<const std::uint32_t> labels);

 private:
  struct Pair {
    float side[2] = {0, 0};
  };
  struct Ranked {
    float score = 0;
    std::uint32_t label = 0;
    bool operator<(const Ranked& other) const {
      return score != other.score ? score > other.score : label < other.label;
    }
  };

  Similarities similarities(std::uint32_t label) const;
  void add(std::uint32_t label, std::size_t side, float weight);
  void rank(std::span<const std::uint32_t> labels, bool parallel);
  static std::size_t middle(std::size_t n) { return (n + 1) / 2; }

  const SparseRows& vectors_;
  std::vector<Pair> centres_;
  double length_[2] = {1, 1};
  std::vector<Ranked> ranked_;
};

Similarities Splitter::similarities(std::uint32_t label) const {
  Similarities result;
  for (std::uint64_t j = vectors_.begin[label]; j < vectors_.begin[label + 1]; ++j) {
    const Pair& centre = centres_[vectors_.features[j]];
    result.to[0] += vectors_.values[j] * centre.side[0];
    result.to[1] += vectors_.values[j] * centre.side[1];
  }
  return result;
}

void Splitter::add(std::uint32_t label, std::size_t side, float weight) {
  for (std::uint64_t j = vectors_.begin[label]; j < vectors_.begin[label + 1]; ++j)
    centres_[vectors_.features[j]].side[side] += weight * vectors_.values[j];
}

void Splitter::clear(std::span<const std::uint32_t> labels) {
  for (const std::uint32_t l : labels) {
    for (std::uint64_t j = vectors_.begin[l]; j < vectors_.begin[l + 1]; ++j)
      centres_[vectors_.features[j]] = Pair();
  }
}

void Splitter::rank(std::span<const std::uint32_t> labels, bool parallel) {
  ranked_.resize(labels.size());
  const auto first = static_cast<float>(1 / length_[0]);
  const auto second = static_cast<float>(1 / length_[1]);
  const auto score = [&](std::size_t i) {
    const Similarities s = similarities(labels[i]);
    ranked_[i] = {s.to[0] * first - s.to[1] * second, labels[i]};
  };
  if (parallel) {
    parallel_for(labels.size(), 256, score);
  } else {
    for (std::size_t i = 0; i < labels.size(); ++i) score(i);
  }
  std::nth_element(ranked_.begin(),
                   ranked_.begin() + static_cast<std::ptrdiff_t>(middle(labels.size())),
                   ranked_.end());
}

void Splitter::fit(std::span<const std::uint32_t> labels, Rng rng) {
  const std::size_t n = labels.size();
  const std::size_t first = rng.below(n);
  std::size_t second = rng.below(n - 1);
  second += second >= first ? 1 : 0;
  add(labels[first], 0, 1);
  add(labels[second], 1, 1);
  length_[0] = length_[1] = 1;
  double before = 0;
  for (int round = 0; round < kMaxSplitRounds; ++round) {
    rank(labels, false);
    clear(labels);
    for (std::size_t i = 0; i < n; ++i) add(ranked_[i].label, i < middle(n) ? 0 : 1, 1);
    // A centre's length is the sum of its labels' similarities with its direction.
    double squares[2] = {0, 0};
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t side = i < middle(n) ? 0 : 1;
      squares[side] += static_cast<double>(similarities(ranked_[i].label).to[side]);
    }
    for (int side : {0, 1}) length_[side] = squares[side] > 0 ? std::sqrt(squares[side]) : 1;
    const double gain = (length_[0] + length_[1]) / static_cast<double>(n) - before;
    before += gain;
    if (gain < kLeastSplitGain) break;
  }
}

void Splitter::divide(std::span<std::uint32_t> labels, bool parallel) {
  rank(labels, parallel);
  const auto half = ranked_.begin() + static_cast<std::ptrdiff_t>(middle(labels.size()));
  // Ascending labels on both sides: the order must not depend on nth_element().
  const auto by_label = [](const Ranked& a, const Ranked& b) { return a.label < b.label; };
  std::sort(ranked_.begin(), half, by_label);
  std::sort(half, ranked_.end(), by_label);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = ranked_[i].label;
}

/// The labels in an order in which all sets of a level are neighbours, and where each begins.
struct Partition {
  std::vector<std::uint32_t> labels;
  std::vector<std::uint32_t> begin;

  std::size_t num_sets() const { return begin.size() - 1; }
  std::span<std::uint32_t> set(std::size_t s) {
    return {labels.data() + begin[s], labels.data() + begin[s + 1]};
  }
};

void split_set(Splitter& splitter, std::span<std::uint32_t> labels, Rng rng, bool parallel) {
  if (labels.size() < 2) return;
  std::vector<std::uint32_t> sample;
  std::span<const std::uint32_t> fitted = labels;
  if (labels.size() > kSample) {
    for (std::size_t i = 0; i < kSample; ++i) sample.push_back(labels[i * labels.size() / kSample]);
    fitted = sample;
  }
  splitter.fit(fitted, rng);
  const std::vector<std::uint32_t> used(fitted.begin(), fitted.end());
  splitter.divide(labels, parallel);
  splitter.clear(used);
}

/// Halves every set of more than `most` labels.
void split_level(const SparseRows& vectors, std::uint64_t level, std::uint64_t seed,
                 std::size_t most, Partition& partition) {
  const auto rng = [&](std::size_t set) {
    return Rng(seed, hash_combine(kSplitStream, level), std::uint64_t{set} << 32);
  };
  std::vector<std::size_t> small;
  std::vector<std::uint32_t> begin;
  Splitter shared(vectors);
  for (std::size_t s = 0; s < partition.num_sets(); ++s) {
    const std::size_t size = partition.set(s).size();
    begin.push_back(partition.begin[s]);
    if (size <= most) continue;
    begin.push_back(partition.begin[s] + static_cast<std::uint32_t>((size + 1) / 2));
    if (size <= kSample) {
      small.push_back(s);
    } else {
      split_set(shared, partition.set(s), rng(s), true);
    }
  }
  std::atomic<std::size_t> next{0};
  parallel_threads([&](int) {
    Splitter splitter(vectors);
    for (std::size_t i; (i = next++) < small.size();)
      split_set(splitter, partition.set(small[i]), rng(small[i]), false);
  });
  begin.push_back(partition.begin.back());
  partition.begin = std::move(begin);
}

/// How many halvings make up each level of inner nodes, root first: one more than the arity asks
/// for rather than another level.
std::vector<int> halvings_of_levels(std::size_t labels, const ClusterOptions& options) {
  int halvings = 0;
  while ((labels + (std::size_t{1} << halvings) - 1) >> halvings > options.leaf_size) ++halvings;
  const int per_level = std::max(1, static_cast<int>(std::bit_width(options.arity)) - 1);
  int levels = options.depth != 0 ? static_cast<int>(options.depth)
                                  : (halvings + per_level) / (per_level + 1);
  levels = std::min(levels, halvings);
  std::vector<int> result;
  for (int level = 0; level < levels; ++level) {
    result.push_back((halvings - std::accumulate(result.begin(), result.end(), 0)) /
                     (levels - level));
  }
  return result;
}

/// Brings together the labels of each of `clusters` clusters of any size, empty ones left out.
void cluster_root(const SparseRows& vectors, std::uint32_t clusters, Rng rng,
                  Partition& partition) {
  const std::vector<std::uint32_t> cluster_of = k_means(vectors, partition.labels, clusters, rng);
  std::vector<std::vector<std::uint32_t>> members(clusters);
  for (std::size_t i = 0; i < cluster_of.size(); ++i)
    members[cluster_of[i]].push_back(partition.labels[i]);
  partition = {{}, {0}};
  for (const std::vector<std::uint32_t>& m : members) {
    if (m.empty()) continue;
    partition.labels.insert(partition.labels.end(), m.begin(), m.end());
    partition.begin.push_back(static_cast<std::uint32_t>(partition.labels.size()));
  }
}

/// Adds nodes, one for each of `parents`, whose children are the sets of `children` inside.
void add_nodes(const std::vector<std::uint32_t>& parents,
               const std::vector<std::uint32_t>& children, TreeShape& shape) {
  for (std::size_t p = 0; p + 1 < parents.size(); ++p) {
    const auto first = std::lower_bound(children.begin(), children.end(), parents[p]);
    const auto last = std::lower_bound(first, children.end(), parents[p + 1]);
    shape.slot_begin.push_back(shape.slot_begin.back() + static_cast<std::uint32_t>(last - first));
  }
}

/// Adds the leaves, and the labels to them.
void add_leaves(Partition&& partition, TreeShape& shape) {
  const std::uint32_t first_label_slot = shape.slot_begin.back();
  for (std::size_t s = 0; s < partition.num_sets(); ++s)
    shape.slot_begin.push_back(first_label_slot + partition.begin[s + 1]);
  shape.labels = std::move(partition.labels);
}

/// A root of clusters, each split into leaves.
TreeShape cluster_with_root(const SparseRows& vectors, const ClusterOptions& options,
                            Partition&& partition) {
  const std::vector<std::uint32_t> root = partition.begin;
  cluster_root(vectors, options.root_clusters, Rng(options.seed, kRootStream), partition);
  const std::vector<std::uint32_t> clusters = partition.begin;
  std::size_t before = 0;
  for (std::uint64_t halving = 0; partition.num_sets() != before; ++halving) {
    before = partition.num_sets();
    split_level(vectors, halving, options.seed, options.leaf_size, partition);
  }
  TreeShape shape;
  shape.slot_begin = {0};
  add_nodes(root, clusters, shape);
  add_nodes(clusters, partition.begin, shape);
  add_leaves(std::move(partition), shape);
  return shape;
}

}  // namespace

TreeShape cluster_labels(const SparseRows& label_features, const std::vector<bool>& carried,
                         const ClusterOptions& options) {
  Partition partition;
  for (std::uint32_t l = 0; l < carried.size(); ++l) {
    if (carried[l]) partition.labels.push_back(l);
  }
  partition.begin = {0, static_cast<std::uint32_t>(partition.labels.size())};
  if (options.root_clusters > 1 && partition.labels.size() > options.leaf_size)
    return cluster_with_root(label_features, options, std::move(partition));
  TreeShape shape;
  shape.slot_begin = {0};
  std::uint64_t halving = 0;
  for (const int halvings : halvings_of_levels(partition.labels.size(), options)) {
    const std::vector<std::uint32_t> parents = partition.begin;
    for (int i = 0; i < halvings; ++i)
      split_level(label_features, halving++, options.seed, 1, partition);
    add_nodes(parents, partition.begin, shape);
  }
  add_leaves(std::move(partition), shape);
  return shape;
}

}  // namespace frugal::sparse
