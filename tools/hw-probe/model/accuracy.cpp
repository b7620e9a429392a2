#include "tools/hw-probe/model/accuracy.h"

#include <algorithm>
#include <cmath>

namespace frugal::probe {
namespace {

struct Bounds {
  double low = 1, high = 1;
};

/// Order statistics of at least one sorted ratio.
Bounds bounds_of(const std::vector<double>& sorted) {
  constexpr double kTail = 0.1;
  const auto n = static_cast<double>(sorted.size());
  const double rank = std::max(1.0, std::floor(kTail * (n + 1)));
  const auto left_out = static_cast<std::size_t>(rank) - 1;
  return {sorted[left_out], sorted[sorted.size() - 1 - left_out]};
}

}  // namespace

double Efficiency::of(const std::string& kernel) const {
  const auto found = kernels.find(kernel);
  return found == kernels.end() ? other : found->second;
}

double Efficiency::of_program(const std::string& kernel) const {
  return kernels.contains(kernel) ? of(kernel) : 1;
}

Interval interval_of(std::vector<double> ratios) {
  if (ratios.size() < kFewestRuns) return {};
  std::sort(ratios.begin(), ratios.end());
  const auto n = static_cast<double>(ratios.size());
  const auto [low, high] = bounds_of(ratios);
  Interval interval{low, high, n, 0};
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    std::vector<double> others = ratios;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const auto [least, most] = bounds_of(others);
    if (ratios[i] >= least && ratios[i] <= most) interval.covered += 1 / n;
  }
  return interval;
}

Calibration typical_calibration() {
  constexpr double kTypical = 0.54;
  constexpr Interval kInterval{0.65, 1.81, 129, 0.77};
  return {"", "", {{}, kTypical}, kInterval};
}

Interval transferred_interval() { return {0.75, 1.4, 120, 0.75}; }

Interval published_interval() { return {1, 2, 9, 7.0 / 9}; }

}  // namespace frugal::probe
