#include "libcore/metrics/ndcg.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace frugal {
namespace {

double rank_discount(std::size_t rank) { return 1 / std::log2(1 + static_cast<double>(rank)); }

/// Sum of discounts of the ranks first + 1 to first + count, those after k left out.
double discount_sum(std::size_t first, std::size_t count, std::size_t k) {
  double sum = 0;
  for (std::size_t rank = first + 1; rank <= std::min(first + count, k); ++rank) {
    sum += rank_discount(rank);
  }
  return sum;
}

}  // namespace

double best_dcg_at(std::size_t k, std::span<const float> gains) {
  std::vector<float> best;
  std::copy_if(gains.begin(), gains.end(), std::back_inserter(best),
               [](float gain) { return gain > 0; });
  const auto end = best.begin() + static_cast<std::ptrdiff_t>(std::min(k, best.size()));
  std::partial_sort(best.begin(), end, best.end(), std::greater<>());
  double sum = 0;
  for (auto gain = best.begin(); gain != end; ++gain) {
    sum += *gain * rank_discount(1 + static_cast<std::size_t>(gain - best.begin()));
  }
  return sum;
}

double ndcg_at(std::size_t k, std::span<const float> scores, std::span<const float> gains) {
  const double best = best_dcg_at(k, gains);
  if (best == 0 || scores.empty()) return 0;
  // All places with a score of at least the k-th highest one.
  std::vector<float> sorted(scores.begin(), scores.end());
  const std::size_t last = std::min(k, sorted.size()) - 1;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(last), sorted.end(),
                   std::greater<>());
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] >= sorted[last]) places.push_back(i);
  }
  std::stable_sort(places.begin(), places.end(),
                   [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  double sum = 0;
  for (std::size_t first = 0, end = 0; first < places.size(); first = end) {
    double gain = 0;
    for (end = first; end < places.size() && scores[places[end]] == scores[places[first]]; ++end) {
      gain += gains[places[end]];
    }
    const std::size_t count = end - first;
    sum += gain / static_cast<double>(count) * discount_sum(first, count, k);
  }
  return sum / best;
}

}  // namespace frugal
