#include "tools/sparse-train/network/quick_predictor.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/kernels/kernels.h"
#include "libcore/threading/parallel.h"

namespace frugal {
namespace {

constexpr std::size_t kBlock = 1024;  ///< estimates looked through at a time
/// Labels whose logits are exact in the softmax's sum, at least: one that has most of it may lie
/// just behind the first.
constexpr std::size_t kRescored = 32;
constexpr float kSlack = 1e-6F;  ///< covers the rounding of sums with the bias
constexpr float kLowest = -std::numeric_limits<float>::infinity();

}  // namespace

struct QuickPredictor::Scratch {
  std::vector<float> hidden;
  ByteRows::Scores scores;
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
  std::uint32_t selected[kBlock];
  for (std::size_t begin = 0; begin < rows_.size(); begin += kBlock) {
    const std::size_t n = std::min(kBlock, rows_.size() - begin);
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
  return kth->score - kSlack * std::abs(kth->score);
}

/// Ranks those that the bound does not rule out by their logits, which replace the estimates.
void QuickPredictor::rank_candidates(Scratch& scratch, std::span<ScoredLabel> best) const {
  const float lowest = threshold(scratch);
  scratch.selected.resize(rows_.size());
  const std::size_t found = kernels().select_at_least(scratch.scores.highest.data(), rows_.size(),
                                                      lowest, scratch.selected.data());
  std::fill(best.begin(), best.end(), ScoredLabel{kNoLabel, kLowest});
  for (const std::uint32_t label : std::span(scratch.selected).first(found)) {
    const float z = logit(label, scratch);
    scratch.scores.estimate[label] = z;
    insert_ranked(best, {label, z});
  }
}

void QuickPredictor::to_probabilities(Scratch& scratch, std::span<ScoredLabel> best) const {
  if (network_.shape.loss == LossKind::one_vs_all) {
    for (ScoredLabel& s : best) s.score = 1 / (1 + std::exp(-s.score));
    return;
  }
  const float largest = best[0].score;
  const float sum = kernels().exp_sum(scratch.scores.estimate.data(), largest, rows_.size());
  for (ScoredLabel& s : best) s.score = std::exp(s.score - largest) / sum;
}

}  // namespace frugal
