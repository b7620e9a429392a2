#include "libcore/metrics/sample_mean.h"

#include <cmath>

namespace frugal {

SampleMean sample_mean(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  SampleMean m;
  for (const double v : values) m.mean += v / n;
  double squares = 0;
  for (const double v : values) squares += (v - m.mean) * (v - m.mean);
  if (values.size() > 1) m.deviation = std::sqrt(squares / (n - 1));
  return m;
}

}  // namespace frugal
