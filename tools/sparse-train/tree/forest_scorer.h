#pragma once
#include <cstdint>
#include <vector>

#include "libcore/threading/object_pool.h"
#include "tools/sparse-train/scoring/scorer.h"
#include "tools/sparse-train/tree/label_forest.h"

namespace frugal::sparse {

class ForestSearch;

/// Ranks labels by beam search: at each level, only the `beam` most probable nodes of each tree are
/// expanded. A beam as wide as the widest level finds every label. Of labels that all trees are
/// sure of, more frequent ones rank first.
class ForestScorer : public Scorer {
 public:
  /// label_counts, [labels]: training examples of each label. Forest and counts must outlive the
  /// scorer. beam: 0 = the forest's own.
  ForestScorer(const LabelForest& forest, std::span<const std::uint64_t> label_counts,
               std::size_t top_k, std::size_t beam = 0);
  ~ForestScorer() override;

  std::vector<ScoredLabel> predict(const Dataset& data, std::size_t begin,
                                   std::size_t end) const override;
  /// min(top_k, number of labels)
  std::size_t k() const override { return k_; }

 private:
  std::size_t k_;
  mutable ObjectPool<ForestSearch> searches_;
};

/// Working memory of a search. Each thread needs its own.
class ForestSearch {
 public:
  ForestSearch(const LabelForest& forest, std::span<const std::uint64_t> label_counts,
               std::size_t beam);

  /// All labels that the beams reach, each once, in no particular order, with their probabilities.
  /// Valid until the next call.
  const std::vector<ScoredLabel>& labels(std::span<const std::uint32_t> features,
                                         std::span<const float> values);
  /// The `k` best of them, or all, best first.
  std::span<const ScoredLabel> best(std::span<const std::uint32_t> features,
                                    std::span<const float> values, std::size_t k);

 private:
  struct Node {
    std::uint32_t node;
    float probability;
  };
  void search(const LabelTree& tree, std::span<const std::uint32_t> features,
              std::span<const float> values);
  void keep_best_nodes();
  void add(std::uint32_t label, float probability);

  const LabelForest& forest_;
  std::span<const std::uint64_t> label_counts_;
  std::size_t beam_;
  std::vector<float> scores_;
  std::vector<Node> level_;
  std::vector<Node> next_level_;
  std::vector<std::uint32_t> place_of_label_;  ///< index in found_ plus 1; 0 = not found
  std::vector<ScoredLabel> found_;
};

}  // namespace frugal::sparse
