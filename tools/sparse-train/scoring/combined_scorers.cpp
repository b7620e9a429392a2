#include "tools/sparse-train/scoring/combined_scorers.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/threading/parallel.h"

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

std::size_t CalibratedScorer::num_candidates(const Decisions& decisions, std::size_t top_k) {
  const std::size_t all = decisions.label_thresholds.size();
  return decisions.shares ? std::max(top_k, std::min(kDecidedRanks, all)) : top_k;
}

CalibratedScorer::CalibratedScorer(std::unique_ptr<Scorer> scorer, const Decisions& decisions,
                                   const LabelCounts& training, std::size_t top_k)
    : scorer_(std::move(scorer)), decisions_(decisions), k_(std::min(top_k, scorer_->k())) {
  for (std::uint32_t l = 0; l < training.counts.size(); ++l) {
    commonest_.push_back(
        {l, static_cast<float>(training.counts[l]) /
                static_cast<float>(std::max<std::uint64_t>(1, training.examples))});
  }
  std::sort(commonest_.begin(), commonest_.end(), ranks_before);
  commonest_.resize(k_, ScoredLabel{kNoLabel, 0});
}

std::vector<ScoredLabel> CalibratedScorer::predict(const Dataset& data, std::size_t begin,
                                                   std::size_t end) const {
  std::vector<ScoredLabel> all = scorer_->predict(data, begin, end);
  std::vector<ScoredLabel> best((end - begin) * k_);
  parallel_ranges(end - begin, [&](std::size_t from, std::size_t to, int) {
    for (std::size_t i = from; i < to; ++i) {
      const auto ranked = std::span(all).subspan(i * scorer_->k(), scorer_->k());
      decisions_.calibrate(ranked);
      const bool known = !data.features_of(begin + i).empty();
      std::copy_n(known ? ranked.data() : commonest_.data(), k_,
                  best.begin() + static_cast<std::ptrdiff_t>(i * k_));
    }
  });
  return best;
}

std::size_t HybridScorer::num_candidates(std::size_t top_k) {
  return std::max<std::size_t>(20, 2 * top_k);
}

HybridScorer::HybridScorer(std::unique_ptr<Scorer> forest, std::unique_ptr<Scorer> network,
                           std::size_t top_k, const HybridMix& mix)
    : forest_(std::move(forest)),
      network_(std::move(network)),
      k_(std::min({top_k, forest_->k(), network_->k()})),
      mix_(mix) {}

/// Best labels of both, each label once, in any order.
void HybridScorer::merge(std::span<const ScoredLabel> forest, std::span<const ScoredLabel> network,
                         std::vector<ScoredLabel>& out) const {
  const auto part = [this](float probability, float weight) {
    return weight * (mix_.roots ? std::sqrt(probability) : probability);
  };
  out.clear();
  for (const ScoredLabel& s : forest) {
    if (s.label != kNoLabel) out.push_back({s.label, part(s.score, mix_.forest_weight)});
  }
  for (const ScoredLabel& s : network) {
    if (s.label == kNoLabel) continue;
    const float probability = std::min(1.0F, mix_.labels_per_share * s.score);
    out.push_back({s.label, part(probability, 1 - mix_.forest_weight)});
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
  if (!mix_.roots) return;
  for (ScoredLabel& s : out) s.score *= s.score;
}

std::vector<ScoredLabel> HybridScorer::predict(const Dataset& data, std::size_t begin,
                                               std::size_t end) const {
  const std::vector<ScoredLabel> forest = forest_->predict(data, begin, end);
  const std::vector<ScoredLabel> network = network_->predict(data, begin, end);
  std::vector<ScoredLabel> out((end - begin) * k_, ScoredLabel{kNoLabel, 0});
  parallel_ranges(end - begin, [&](std::size_t from, std::size_t to, int) {
    std::vector<ScoredLabel> both;
    for (std::size_t i = from; i < to; ++i) {
      merge({forest.data() + i * forest_->k(), forest_->k()},
            {network.data() + i * network_->k(), network_->k()}, both);
      const auto n = static_cast<std::ptrdiff_t>(std::min(k_, both.size()));
      std::partial_sort(both.begin(), both.begin() + n, both.end(), ranks_before);
      std::copy(both.begin(), both.begin() + n, out.begin() + static_cast<std::ptrdiff_t>(i * k_));
    }
  });
  return out;
}

}  // namespace frugal::sparse
