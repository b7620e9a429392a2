#pragma once
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "libcore/metrics/named_values.h"

namespace frugal::tgn {

/// Metrics of how well scores separate the links of a stream from negatives: by one negative for
/// each link (average precision, area under the ROC curve), and by the rank among several (mean
/// reciprocal rank, hits). NaN counts as the worst score: lowest for a link, highest for a
/// negative.
class LinkMetrics {
 public:
  /// batch: links in a batch for ap_batch() and auc_batch().
  explicit LinkMetrics(std::size_t batch = 200) : batch_(batch) {}

  /// Adds a link and its negative, in the order of the events.
  void add(float link, float negative);
  /// Ranks a link among any number of negatives. Score: any ordered type.
  template <class Score>
  void add_ranked(Score link, std::span<const Score> negatives);
  /// Adds a link with `above` higher and `equal` equal negatives.
  void add_rank(std::uint64_t above, std::uint64_t equal);
  /// Forgets all ranks, say because they are not of all links.
  void remove_ranks();

  std::uint64_t links() const { return scores_.size() / 2; }
  std::uint64_t ranked_links() const { return ranked_; }

  // Over all links at once, as scikit-learn defines them; NaN without links.
  double average_precision() const;
  double auc() const;
  // Means over batches of `batch` links, where a smaller last batch has the same weight, as
  // reported by twitter-research/tgn.
  double ap_batch() const;
  double auc_batch() const;
  // A rank is 1 + the negatives above + half of those that score the same (the protocol of the
  // Temporal Graph Benchmark: Huang et al., NeurIPS 2023). NaN without ranked links.
  double mrr() const;
  /// Share of links with a rank of at most k, k one of 1, 3, 10.
  double hits_at(unsigned k) const;

  /// All metrics that exist, by name.
  NamedValues values() const;

 private:
  template <class Metric>
  double mean_over_batches(Metric metric) const;

  std::size_t batch_;
  std::vector<float> scores_;          ///< of a link, its negative, the next link, ...
  std::vector<std::uint8_t> is_link_;  ///< for each score
  std::uint64_t ranked_ = 0;
  double reciprocals_ = 0;
  std::uint64_t hits_[3] = {};  ///< at 1, 3, 10
};

template <class Score>
void LinkMetrics::add_ranked(Score link, std::span<const Score> negatives) {
  std::uint64_t above = 0, equal = 0;
  for (const Score negative : negatives) {
    if constexpr (std::is_floating_point_v<Score>) {
      if (std::isnan(negative) || std::isnan(link)) {
        ++above;
        continue;
      }
    }
    above += negative > link ? 1 : 0;
    equal += negative == link ? 1 : 0;
  }
  add_rank(above, equal);
}

}  // namespace frugal::tgn
