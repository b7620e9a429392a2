#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tools/sparse-train/data/dataset.h"

namespace frugal::sparse {

/// Contributions to a label's score before it becomes a probability: those of the example's
/// features, and `rest` from biases, add up to `total`.
struct LabelShares {
  std::vector<float> features;  ///< parallel to the features of the example
  float rest = 0;
  float total = 0;
};

struct ScoredLabel {
  std::uint32_t label = 0;
  float score = 0;  ///< a probability
};

/// Order of rankings: higher scores first, ties by the smaller label.
inline bool ranks_before(const ScoredLabel& a, const ScoredLabel& b) {
  return a.score != b.score ? a.score > b.score : a.label < b.label;
}

/// Inserts a label into the sorted best ones if it ranks before the last of them.
inline void insert_ranked(std::span<ScoredLabel> best, const ScoredLabel& candidate) {
  if (!ranks_before(candidate, best.back())) return;
  std::size_t place = best.size() - 1;
  for (; place > 0 && ranks_before(candidate, best[place - 1]); --place) {
    best[place] = best[place - 1];
  }
  best[place] = candidate;
}

/// Ranks labels for examples.
class Scorer {
 public:
  /// Placeholder, with score 0, if an approximate search finds fewer than k() labels; never first.
  static constexpr std::uint32_t kNoLabel = 0xffffffffU;

  virtual ~Scorer() = default;
  /// Ranked labels of examples [begin, end): k() for each example, by falling score, one example
  /// after another. Uses all threads.
  virtual std::vector<ScoredLabel> predict(const Dataset& data, std::size_t begin,
                                           std::size_t end) const = 0;
  virtual std::size_t k() const = 0;
};

}  // namespace frugal::sparse
