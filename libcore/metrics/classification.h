#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/base/array.h"

namespace frugal {

/// log(1 + exp(-z)) for a positive, log(1 + exp(z)) for a negative.
inline double logistic_loss(float logit, float label) {
  const double z = label > 0.5F ? -static_cast<double>(logit) : static_cast<double>(logit);
  return std::max(z, 0.0) + std::log1p(std::exp(-std::abs(z)));
}

/// Samples with neighbouring predictions.
struct CalibrationBin {
  std::uint64_t samples = 0;
  double predicted = 0;  ///< mean probability
  double observed = 0;   ///< share of positives
};

/// Metrics of a binary classifier in one pass and 16 MiB. The order of samples changes no more than
/// the last digits. The area under the ROC curve comes from counts by the upper 20 bits of the
/// logit, so that only logits that differ by less than 1/2048 of their size can count as ties:
/// auc_uncertainty() bounds the error (1e-5 and below where scores are no few lumps).
class BinaryMetrics {
 public:
  BinaryMetrics();

  /// labels[i] is 1 or 0; the probability of 1 is 1 / (1 + exp(-logits[i])).
  void add(std::span<const float> logits, std::span<const float> labels);

  std::uint64_t samples() const { return samples_; }
  std::uint64_t positives() const { return positives_; }
  /// Else auc() and normalized_entropy() are NaN, and calibration() may be infinite.
  bool has_both_classes() const { return positives_ != 0 && positives_ != samples_; }
  /// The probability that a positive scores above a negative, ties counting half; NaN is the lowest
  /// score. NaN if one class is missing.
  double auc() const;
  /// Half the share of pairs of a positive and a negative that fell into the same count.
  double auc_uncertainty() const;
  /// Mean of -ln p of the true class.
  double log_loss() const { return mean(loss_); }
  /// log_loss() over that of always predicting mean_label(): below 1 something was learnt.
  double normalized_entropy() const;
  /// A logit above 0 predicts 1.
  double accuracy() const { return mean(static_cast<double>(right_)); }
  double mean_label() const { return mean(static_cast<double>(positives_)); }
  double mean_prediction() const { return mean(predicted_); }
  /// mean_prediction() / mean_label(): 1 is right on the whole.
  double calibration() const { return mean_prediction() / mean_label(); }
  /// At most `num_bins` groups of about as many samples, by rising prediction; means are good to
  /// 1/4096 of the logit.
  std::vector<CalibrationBin> calibration_table(std::size_t num_bins = 10) const;

 private:
  double mean(double sum) const { return sum / static_cast<double>(samples_); }
  struct Pairs {
    double won = 0;   ///< pairs that the positive wins, ties half
    double tied = 0;  ///< pairs in one bin
  };
  Pairs count_pairs() const;
  double num_pairs() const;

  Array<std::uint64_t> counts_;  ///< [bin by rising logit, label]
  std::uint64_t samples_ = 0;
  std::uint64_t positives_ = 0;
  std::uint64_t right_ = 0;
  double loss_ = 0;
  double predicted_ = 0;
};

/// Counts of single-label predictions: accuracy, F1, confusion.
class Confusion {
 public:
  explicit Confusion(std::size_t num_labels)
      : num_labels_(num_labels), counts_(num_labels * num_labels) {}

  void add(std::uint32_t actual, std::uint32_t predicted) {
    ++counts_[actual * num_labels_ + predicted];
  }
  std::uint64_t count(std::size_t actual, std::size_t predicted) const {
    return counts_[actual * num_labels_ + predicted];
  }
  std::uint64_t examples() const;
  double accuracy() const;
  /// Harmonic mean of precision and recall of one label; 0 where both are 0.
  double f1(std::size_t label) const;
  /// Mean of f1 over labels that occur as actual or predicted.
  double macro_f1() const;

 private:
  std::size_t num_labels_;
  std::vector<std::uint64_t> counts_;  ///< [actual, predicted]
};

}  // namespace frugal
