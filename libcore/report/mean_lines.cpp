#include "libcore/report/mean_lines.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/text.h"

namespace frugal {

void MeanLines::add(const std::string& line, double x, const SampleMean& mean) {
  if (std::isnan(mean.mean)) return;
  auto found = std::find_if(lines_.begin(), lines_.end(),
                            [&](const auto& other) { return other.first == line; });
  if (found == lines_.end()) {
    lines_.emplace_back().first = line;
    found = std::prev(lines_.end());
  }
  found->second.emplace(x, mean);
  has_bands_ |= mean.deviation != 0;
}

std::vector<Series> MeanLines::series() const {
  std::vector<Series> all;
  for (const auto& [name, points] : lines_) {
    Series& line = all.emplace_back();
    line.name = name;
    for (const auto& [x, mean] : points) {
      line.x.push_back(x);
      line.y.push_back(mean.mean);
      if (!has_bands_) continue;
      line.low.push_back(mean.mean - mean.deviation);
      line.high.push_back(mean.mean + mean.deviation);
    }
  }
  return all;
}

}  // namespace frugal
