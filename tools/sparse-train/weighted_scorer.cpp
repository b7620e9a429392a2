#include "tools/sparse-train/weighted_scorer.h"

#include <algorithm>

#include "libcore/base/error.h"

namespace frugal::sparse {

std::vector<float> label_worths(const std::string& kind, const LabelCounts& training,
                                const PropensityConstants& propensity) {
  if (kind == "none") return {};
  std::vector<float> worths;
  if (kind == "propensity") {
    for (const double w : inverse_propensities(training.counts, training.examples, propensity))
      worths.push_back(static_cast<float>(w));
    return worths;
  }
  if (kind != "balanced") {
    fail(ExitStatus::usage, "unknown weights '", kind, "', expected none, propensity or balanced");
  }
  for (const std::uint64_t count : training.counts)
    worths.push_back(1 / static_cast<float>(std::max<std::uint64_t>(1, count)));
  return worths;
}

std::size_t WeightedScorer::num_candidates(std::size_t top_k) {
  return std::max<std::size_t>(100, 2 * top_k);
}

WeightedScorer::WeightedScorer(std::unique_ptr<Scorer> scorer, std::vector<float> worths,
                               std::size_t top_k)
    : scorer_(std::move(scorer)), worths_(std::move(worths)), k_(std::min(top_k, scorer_->k())) {}

std::vector<ScoredLabel> WeightedScorer::predict(const Dataset& data, std::size_t begin,
                                                 std::size_t end) const {
  std::vector<ScoredLabel> all = scorer_->predict(data, begin, end);
  std::vector<ScoredLabel> out;
  out.reserve((end - begin) * k_);
  const auto gain = [this](const ScoredLabel& s) {
    return s.label == kNoLabel ? -1 : s.score * worths_[s.label];
  };
  for (std::size_t i = 0; i < end - begin; ++i) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(i * scorer_->k());
    std::stable_sort(first, first + static_cast<std::ptrdiff_t>(scorer_->k()),
                     [&](const ScoredLabel& a, const ScoredLabel& b) { return gain(a) > gain(b); });
    out.insert(out.end(), first, first + static_cast<std::ptrdiff_t>(k_));
  }
  return out;
}

}  // namespace frugal::sparse
