#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace frugal {

/// Constants A and B of the propensity model (Jain, Prabhu, Varma, KDD 2016, section 4). The
/// inverse propensity of a label l is 1 + C (N_l + B)^-A with C = (ln N - 1) (B + 1)^A; it corrects
/// for relevant labels that are missing from the data. A, B: 0.5, 0.4 for Wikipedia sets, 0.6, 2.6
/// for Amazon's, else 0.55, 1.5.
struct PropensityConstants {
  double a = 0.55;
  double b = 1.5;
};
std::vector<double> inverse_propensities(std::span<const std::uint64_t> label_counts,
                                         std::uint64_t num_examples,
                                         PropensityConstants constants = {});

/// Sums of the metrics of extreme classification over examples. All values lie in [0, 1].
class RankingMetrics {
 public:
  static constexpr std::size_t kMaxK = 5;

  /// inverse_propensity: one per label id; empty = no propensity-scored metrics (they are 0).
  explicit RankingMetrics(std::vector<double> inverse_propensity = {})
      : inverse_propensity_(std::move(inverse_propensity)) {}

  /// predicted: label ids, best first, distinct, at least kMaxK unless there are fewer labels.
  /// labels: the true ones, distinct, in any order. An example without labels counts as a miss.
  void add(std::span<const std::uint32_t> predicted, std::span<const std::uint32_t> labels);

  std::uint64_t examples() const { return examples_; }
  // k in [1, kMaxK].
  /// Precision at k: hits among the first k / k, mean over examples.
  double precision_at(std::size_t k) const;
  /// Recall at k: hits among the first k / labels of the example, mean over the examples with
  /// labels.
  double recall_at(std::size_t k) const;
  /// nDCG at k: DCG / DCG of the best order, mean over examples.
  double ndcg_at(std::size_t k) const;
  /// Propensity-scored precision, as a share of the best possible value.
  double psp_at(std::size_t k) const;
  /// Propensity-scored DCG@k / DCG@k of the best order without weights, mean over examples, as a
  /// share of the best possible value.
  double psndcg_at(std::size_t k) const;

 private:
  using Sums = std::array<double, kMaxK>;
  void add_propensity_scored(std::span<const std::uint32_t> predicted,
                             std::span<const std::uint32_t> labels);

  std::vector<double> inverse_propensity_;
  std::uint64_t examples_ = 0;
  std::uint64_t labelled_examples_ = 0;
  Sums hits_{}, recall_{}, ndcg_{};
  Sums psp_{}, best_psp_{}, psndcg_{}, best_psndcg_{};
};

/// Area under the ROC curve: the probability that a positive scores above a negative, ties counting
/// half. positive[i] != 0 marks positives. NaN scores rank lowest. NaN if one class is missing.
double auc(std::span<const float> scores, std::span<const std::uint8_t> positive);

/// Average precision: mean over the positives of the precision at their rank. Equal scores share
/// the precision of their whole group. NaN without positives.
double average_precision(std::span<const float> scores, std::span<const std::uint8_t> positive);

}  // namespace frugal
