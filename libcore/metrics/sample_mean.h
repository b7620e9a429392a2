#pragma once
#include <span>

namespace frugal {

/// Mean and sample standard deviation of several runs; the deviation of a single run is 0.
struct SampleMean {
  double mean = 0, deviation = 0;
};

/// Computes both; without values the mean is 0.
SampleMean sample_mean(std::span<const double> values);

}  // namespace frugal
