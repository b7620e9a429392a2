#include "tools/gnn-sample/link_metrics.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace frugal {

void LinkMetrics::add(float score, std::span<const float> negatives) {
  assert(!negatives.empty());
  binary_.add(std::array{score, negatives[0]}, std::array{1.0F, 0.0F});
  scores_.emplace_back(score, true);
  scores_.emplace_back(negatives[0], false);
  double rank = 1;
  for (const float other : negatives) rank += other > score ? 1 : other == score ? 0.5 : 0;
  ++ranks_;
  reciprocals_ += 1 / rank;
  hits_ += rank <= 10 ? 1 : 0;
}

double LinkMetrics::average_precision() const {
  std::vector<std::pair<float, bool>> sorted = scores_;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double sum = 0;
  std::uint64_t links = 0;
  for (std::size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
    std::uint64_t equal = 0;
    for (; end < sorted.size() && sorted[end].first == sorted[begin].first; ++end) {
      equal += sorted[end].second ? 1 : 0;
    }
    links += equal;
    sum += static_cast<double>(equal) * static_cast<double>(links) / static_cast<double>(end);
  }
  return sum / static_cast<double>(ranks_);
}

std::vector<std::pair<std::string, double>> LinkMetrics::values() const {
  return {{"mrr", mrr()},
          {"hits_at_10", hits_at_10()},
          {"auc", auc()},
          {"average_precision", average_precision()},
          {"loss", loss()}};
}

}  // namespace frugal
