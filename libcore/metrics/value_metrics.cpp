#include "libcore/metrics/value_metrics.h"

namespace frugal {

/// Deviations are summed by Welford's method (Technometrics 4(3), 1962).
void ValueMetrics::add(double output, double value) {
  const double scaled = scale_.scaled(value);
  const double error = output - scaled;
  squares_ += error * error;
  absolute_ += std::abs(error);
  ++count_;
  const double from_mean = scaled - mean_;
  mean_ += from_mean / static_cast<double>(count_);
  deviations_ += from_mean * (scaled - mean_);
}

double ValueMetrics::baseline_rmse() const {
  const double squares = deviations_ / static_cast<double>(count_) + mean_ * mean_;
  return scale_.deviation * std::sqrt(squares);
}

}  // namespace frugal
