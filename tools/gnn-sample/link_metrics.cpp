#include "tools/gnn-sample/link_metrics.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>

namespace frugal::gnn {
namespace {

constexpr std::size_t kHits = 10;

}  // namespace

void LinkMetrics::add(float score, std::span<const float> negatives) {
  assert(!negatives.empty());
  // What is no number is as bad as can be.
  constexpr float kWorst = std::numeric_limits<float>::lowest();
  if (std::isnan(score)) score = kWorst;
  const auto known = [](float negative) { return std::isnan(negative) ? -kWorst : negative; };
  const float first = known(negatives[0]);
  binary_.add(std::array{score, first}, std::array{1.0F, 0.0F});
  scores_.emplace_back(score, true);
  scores_.emplace_back(first, false);
  double rank = 1;
  for (const float negative : negatives) {
    const float other = known(negative);
    rank += other > score ? 1 : other == score ? 0.5 : 0;
  }
  fewest_negatives_ = std::min(fewest_negatives_, negatives.size());
  ++ranks_;
  reciprocals_ += 1 / rank;
  hits_ += rank <= kHits ? 1 : 0;
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
  std::vector<std::pair<std::string, double>> values = {{"mrr", mrr()}};
  // Among fewer every link is one of the first ten.
  if (fewest_negatives_ >= kHits) {
    values.emplace_back("hits_at_10", static_cast<double>(hits_) / static_cast<double>(ranks_));
  }
  values.insert(values.end(),
                {{"auc", auc()}, {"average_precision", average_precision()}, {"log_loss", loss()}});
  return values;
}

}  // namespace frugal::gnn
