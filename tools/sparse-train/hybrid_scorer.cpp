#include "tools/sparse-train/hybrid_scorer.h"

#include <algorithm>
#include <span>

#include "libcore/threading/parallel.h"

namespace frugal {
namespace {

/// Best labels of both, each label once with the mean of its scores, in any order.
void merge(std::span<const ScoredLabel> first, std::span<const ScoredLabel> second,
           std::vector<ScoredLabel>& out) {
  out.clear();
  for (const std::span<const ScoredLabel> side : {first, second}) {
    for (const ScoredLabel& s : side) {
      if (s.label != Scorer::kNoLabel) out.push_back({s.label, s.score / 2});
    }
  }
  std::sort(out.begin(), out.end(),
            [](const ScoredLabel& a, const ScoredLabel& b) { return a.label < b.label; });
  std::size_t kept = 0;
  for (const ScoredLabel& s : out) {
    if (kept != 0 && out[kept - 1].label == s.label) {
      out[kept - 1].score += s.score;
    } else {
      out[kept++] = s;
    }
  }
  out.resize(kept);
}

}  // namespace

std::size_t HybridScorer::num_candidates(std::size_t top_k) {
  return std::max<std::size_t>(20, 2 * top_k);
}

HybridScorer::HybridScorer(std::unique_ptr<Scorer> first, std::unique_ptr<Scorer> second,
                           std::size_t top_k)
    : first_(std::move(first)),
      second_(std::move(second)),
      k_(std::min({top_k, first_->k(), second_->k()})) {}

std::vector<ScoredLabel> HybridScorer::predict(const Dataset& data, std::size_t begin,
                                               std::size_t end) const {
  const std::vector<ScoredLabel> first = first_->predict(data, begin, end);
  const std::vector<ScoredLabel> second = second_->predict(data, begin, end);
  std::vector<ScoredLabel> out((end - begin) * k_, ScoredLabel{kNoLabel, 0});
  parallel_ranges(end - begin, [&](std::size_t from, std::size_t to, int) {
    std::vector<ScoredLabel> both;
    for (std::size_t i = from; i < to; ++i) {
      merge({first.data() + i * first_->k(), first_->k()},
            {second.data() + i * second_->k(), second_->k()}, both);
      const auto n = static_cast<std::ptrdiff_t>(std::min(k_, both.size()));
      std::partial_sort(both.begin(), both.begin() + n, both.end(), ranks_before);
      std::copy(both.begin(), both.begin() + n, out.begin() + static_cast<std::ptrdiff_t>(i * k_));
    }
  });
  return out;
}

}  // namespace frugal
