#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "libcore/metrics/binary_metrics.h"

namespace frugal::gnn {

/// How well scores tell links from negatives. Ranks are among a link's own negatives, each that
/// scores the same counts half. For the area under the ROC curve, average precision and the loss
/// each link goes with the first of its negatives.
class LinkMetrics {
 public:
  /// One link or more, each with one negative or more.
  void add(float score, std::span<const float> negatives);

  std::uint64_t links() const { return ranks_; }
  double mrr() const { return reciprocals_ / static_cast<double>(ranks_); }
  double auc() const { return binary_.auc(); }
  double loss() const { return binary_.log_loss(); }
  /// Mean over the links of the share of links among what scores as high or higher.
  double average_precision() const;
  /// All of them by name; hits_at_10 where each link has as many negatives.
  std::vector<std::pair<std::string, double>> values() const;

 private:
  BinaryMetrics binary_;
  std::vector<std::pair<float, bool>> scores_;  ///< and whether it is a link's
  std::uint64_t ranks_ = 0, hits_ = 0;
  std::size_t fewest_negatives_ = ~std::size_t{0};
  double reciprocals_ = 0;
};

}  // namespace frugal::gnn
