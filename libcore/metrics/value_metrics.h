#pragma once
#include <cmath>
#include <cstdint>

#include "libcore/metrics/named_values.h"

namespace frugal {

/// Scale of numbers to predict: a model's output for a value is (value - mean) / deviation, with
/// the mean and the deviation of the training values.
struct ValueScale {
  double mean = 0, deviation = 1;  ///< deviation > 0

  double scaled(double value) const { return (value - mean) / deviation; }
  double value(double output) const { return mean + deviation * output; }
};

/// Metrics of how well outputs predict numbers.
class ValueMetrics {
 public:
  explicit ValueMetrics(const ValueScale& scale) : scale_(scale) {}

  /// output: in the scale. value: as it is.
  void add(double output, double value);

  std::uint64_t values() const { return count_; }
  /// Mean squared error in the unit of the scale.
  double loss() const { return squares_ / static_cast<double>(count_); }
  /// Share of the variance of the values that outputs explain: 1 - squared errors / squared
  /// deviations from their mean; 0 if there are no deviations.
  double r2() const { return deviations_ == 0 ? 0 : 1 - squares_ / deviations_; }
  double rmse() const { return scale_.deviation * std::sqrt(loss()); }
  double mae() const { return scale_.deviation * (absolute_ / static_cast<double>(count_)); }
  /// Error of the training values' mean, which is 0 in the scale.
  double baseline_rmse() const;
  NamedValues named() const { return {{"r2", r2()}, {"rmse", rmse()}, {"mae", mae()}}; }

 private:
  ValueScale scale_;
  std::uint64_t count_ = 0;
  /// Scaled: sums of squared and absolute errors; mean, and sum of squared deviations from it.
  double squares_ = 0, absolute_ = 0, mean_ = 0, deviations_ = 0;
};

}  // namespace frugal
