#pragma once
#include <span>

namespace frugal {

/// Of several runs: their mean and the standard deviation of the sample, 0 for a single one.
struct SampleMean {
  double mean = 0, deviation = 0;
};

/// Of no values the mean is 0.
SampleMean sample_mean(std::span<const double> values);

}  // namespace frugal
