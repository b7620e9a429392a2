#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/base/array.h"

namespace frugal {

/// Logistic loss: log(1 + exp(-logit)) for label 1, log(1 + exp(logit)) for label 0.
inline double logistic_loss(float logit, float label) {
  const double z = label > 0.5F ? -static_cast<double>(logit) : static_cast<double>(logit);
  return std::max(z, 0.0) + std::log1p(std::exp(-std::abs(z)));
}

/// A group of samples with similar predictions.
struct CalibrationBin {
  std::uint64_t samples = 0;
  double predicted = 0;  ///< mean probability
  double observed = 0;   ///< share of positives
};

/// Metrics of a binary classifier, computed in one pass and 16 MiB. The order of the samples
/// changes at most the last digits. The area under the ROC curve comes from a histogram over the
/// upper 20 bits of the logit: only logits that differ by less than 1/2048 of their size can count
/// as ties. auc_uncertainty() bounds the error (1e-5 or less unless scores concentrate on a few
/// values).
class BinaryMetrics {
 public:
  BinaryMetrics();

  /// Adds samples. labels[i] is 1 or 0; the predicted probability of 1 is 1 / (1 +
  /// exp(-logits[i])).
  void add(std::span<const float> logits, std::span<const float> labels);

  std::uint64_t samples() const { return samples_; }
  std::uint64_t positives() const { return positives_; }
  /// True if both labels occur. If not, auc() and normalized_entropy() are NaN, and calibration()
  /// may be infinite.
  bool has_both_classes() const { return positives_ != 0 && positives_ != samples_; }
  /// Area under the ROC curve: the probability that a positive scores above a negative, ties
  /// counting half. NaN scores rank lowest. NaN if one class is missing.
  double auc() const;
  /// Bound of the error of auc(): half the share of positive-negative pairs that fall into one bin.
  double auc_uncertainty() const;
  /// Mean of -ln p of the true label.
  double log_loss() const { return mean(loss_); }
  /// log_loss() divided by the loss of always predicting mean_label(). Below 1, the model is better
  /// than that constant.
  double normalized_entropy() const;
  /// Share of right predictions; a logit above 0 predicts 1.
  double accuracy() const { return mean(static_cast<double>(right_)); }
  double mean_label() const { return mean(static_cast<double>(positives_)); }
  double mean_prediction() const { return mean(predicted_); }
  /// mean_prediction() / mean_label(): 1 if predictions are right on average.
  double calibration() const { return mean_prediction() / mean_label(); }
  /// At most `num_bins` groups of about equal size, by ascending prediction. Their means are
  /// accurate to 1/4096 of the logit.
  std::vector<CalibrationBin> calibration_table(std::size_t num_bins = 10) const;

 private:
  double mean(double sum) const { return sum / static_cast<double>(samples_); }
  struct Pairs {
    double won = 0;   ///< pairs in which the positive scores higher; ties count half
    double tied = 0;  ///< pairs within one bin
  };
  Pairs count_pairs() const;
  double num_pairs() const;

  Array<std::uint64_t> counts_;  ///< histogram: [bin by ascending logit, label]
  std::uint64_t samples_ = 0;
  std::uint64_t positives_ = 0;
  std::uint64_t right_ = 0;
  double loss_ = 0;
  double predicted_ = 0;
};

/// Confusion matrix of single-label predictions, with accuracy and F1.
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
  /// Mean F1 over the labels that occur as actual or predicted.
  double macro_f1() const;

 private:
  std::size_t num_labels_;
  std::vector<std::uint64_t> counts_;  ///< [actual, predicted]
};

}  // namespace frugal
