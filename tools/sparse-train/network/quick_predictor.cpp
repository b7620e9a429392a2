#include "tools/sparse-train/network/quick_predictor.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/kernels/kernels.h"
#include "libcore/threading/parallel.h"

namespace frugal::sparse {
namespace {

constexpr std::size_t kEstimatesAtOnce = 1024;  ///< estimates looked through at a time
/// Labels whose logits are exact in the softmax's sum, at least: one that has most of it may lie
/// just behind the first.
constexpr std::size_t kRescored = 32;
constexpr float kSumError = 0.002F;  ///< what of the softmax's sum rounding may typically move
constexpr float kBiasSlack = 1e-6F;  ///< covers the rounding of sums with the bias
constexpr float kLowest = -std::numeric_limits<float>::infinity();

}  // namespace

struct QuickPredictor::Scratch {
  std::vector<float> hidden;
  NibbleRows::Scores scores;
  std::vector<ScoredLabel> first;  ///< by their estimates
  std::vector<std::uint32_t> selected;
};

QuickPredictor::QuickPredictor(const Network& network, std::size_t top_k)
    : network_(network),
      rows_(network.labels.weights()),
      k_(std::min(top_k, network.labels.rows())),
      scratches_([] { return std::make_unique<Scratch>(); }) {}

QuickPredictor::~QuickPredictor() = default;

std::vector<ScoredLabel> QuickPredictor::predict(const Dataset& data, std::size_t begin,
                                                 std::size_t end) const {
  std::vector<ScoredLabel> out((end - begin) * k_);
  parallel_ranges(end - begin, [&](std::size_t first, std::size_t last, int) {
    scratches_.with([&](Scratch& scratch) {
      for (std::size_t i = first; i < last; ++i)
        predict_one(data, begin + i, scratch, out.data() + i * k_);
    });
  });
  return out;
}

void QuickPredictor::predict_one(const Dataset& data, std::size_t example, Scratch& scratch,
                                 ScoredLabel* out) const {
  const std::span<ScoredLabel> best(out, k_);
  scratch.hidden.resize(network_.hidden_stride());
  network_.hidden_units({data.features_of(example), data.values_of(example)},
                        scratch.hidden.data());
  rows_.score({scratch.hidden.data(), network_.shape.width()}, scratch.scores);
  rank_candidates(scratch, best);
  to_probabilities(scratch, best);
}

float QuickPredictor::logit(std::uint32_t label, const Scratch& scratch) const {
  return kernels().dot(network_.labels.row(label), scratch.hidden.data(), network_.labels.dim());
}

/// Scores those with the highest estimates, k or more, exactly: the k best labels are not below the
/// k-th of these.
float QuickPredictor::threshold(Scratch& scratch) const {
  std::vector<float>& estimate = scratch.scores.estimate;
  const std::size_t count = std::min(std::max(k_, kRescored), rows_.size());
  scratch.first.assign(count, ScoredLabel{kNoLabel, kLowest});
  std::uint32_t selected[kEstimatesAtOnce];
  for (std::size_t begin = 0; begin < rows_.size(); begin += kEstimatesAtOnce) {
    const std::size_t n = std::min(kEstimatesAtOnce, rows_.size() - begin);
    const std::size_t found =
        kernels().select_at_least(estimate.data() + begin, n, scratch.first.back().score, selected);
    for (std::size_t i = 0; i < found; ++i) {
      const auto label = static_cast<std::uint32_t>(begin + selected[i]);
      insert_ranked(scratch.first, {label, estimate[label]});
    }
  }
  for (ScoredLabel& s : scratch.first) estimate[s.label] = s.score = logit(s.label, scratch);
  const auto kth = scratch.first.begin() + static_cast<std::ptrdiff_t>(k_ - 1);
  std::nth_element(scratch.first.begin(), kth, scratch.first.end(), ranks_before);
  return kth->score - kBiasSlack * std::abs(kth->score);
}

/// Ranks those that the bound does not rule out by their logits, which replace the estimates.
void QuickPredictor::rank_candidates(Scratch& scratch, std::span<ScoredLabel> best) const {
  NibbleRows::Scores& scores = scratch.scores;
  const float lowest = threshold(scratch);
  scratch.selected.resize(rows_.size());
  const std::size_t panels = kernels().select_at_least(scores.highest.data(), scores.highest.size(),
                                                       lowest, scratch.selected.data());
  std::fill(best.begin(), best.end(), ScoredLabel{kNoLabel, kLowest});
  for (const std::uint32_t panel : std::span(scratch.selected).first(panels)) {
    const std::size_t end = std::min((panel + 1) * kNibbleRows, rows_.size());
    for (std::size_t r = panel * kNibbleRows; r < end; ++r) {
      if (rows_.highest(r, scores) < lowest) continue;
      const auto label = static_cast<std::uint32_t>(r);
      scores.estimate[r] = logit(label, scratch);
      insert_ranked(best, {label, scores.estimate[r]});
    }
  }
}

void QuickPredictor::to_probabilities(Scratch& scratch, std::span<ScoredLabel> best) const {
  if (network_.shape.loss == LossKind::one_vs_all) {
    for (ScoredLabel& s : best) s.score = 1 / (1 + std::exp(-s.score));
    return;
  }
  const float largest = best[0].score;
  const float sum = softmax_sum(scratch, largest);
  for (ScoredLabel& s : best) s.score = std::exp(s.score - largest) / sum;
}

/// Sum of exp(logit - largest). With logits of the labels that have a share of it larger than t,
/// the others' errors, of deviation d, move it by about d sqrt(t).
float QuickPredictor::softmax_sum(Scratch& scratch, float largest) const {
  float* const share = scratch.scores.estimate.data();
  double sum = static_cast<double>(kernels().exp_sum(share, largest, rows_.size()));
  const float deviation = scratch.scores.deviation * rows_.typical_error();
  const float root = kSumError / std::max(deviation, kSumError);
  const std::size_t found = kernels().select_at_least(
      share, rows_.size(), root * root * static_cast<float>(sum), scratch.selected.data());
  for (const std::uint32_t label : std::span(scratch.selected).first(found)) {
    sum += static_cast<double>(std::exp(logit(label, scratch) - largest) - share[label]);
  }
  return static_cast<float>(sum);
}

}  // namespace frugal::sparse
