#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "libcore/metrics/sample_mean.h"
#include "libcore/report/report.h"

namespace frugal {

/// Lines of a figure through means of several runs, with bands of one standard deviation.
class MeanLines {
 public:
  /// Adds a point to the line of that name; a mean that is NaN is left out.
  void add(const std::string& line, double x, const SampleMean& mean);
  /// The lines in the order of their first points, each from left to right. Bands are drawn if any
  /// deviation is not 0; where a single one is 0 the band is a line.
  std::vector<Series> series() const;

 private:
  std::vector<std::pair<std::string, std::multimap<double, SampleMean>>> lines_;
  bool has_bands_ = false;
};

}  // namespace frugal
