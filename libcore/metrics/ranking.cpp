#include "libcore/metrics/ranking.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace frugal {
namespace {

/// DCG's weight of a hit at rank i (from 0).
double discount(std::size_t i) { return 1.0 / std::log2(static_cast<double>(i) + 2.0); }

bool contains(std::span<const std::uint32_t> labels, std::uint32_t label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

double share(double value, double best) { return best > 0 ? value / best : 0.0; }

struct Scored {
  float score;
  bool positive;
};

/// Sorts by descending score. NaN counts as the lowest score.
std::vector<Scored> ranked(std::span<const float> scores, std::span<const std::uint8_t> positive) {
  std::vector<Scored> order(scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    constexpr float kLowest = -std::numeric_limits<float>::infinity();
    order[i] = {std::isnan(scores[i]) ? kLowest : scores[i], positive[i] != 0};
  }
  std::sort(order.begin(), order.end(),
            [](const Scored& a, const Scored& b) { return a.score > b.score; });
  return order;
}

/// Calls group(positives, negatives) for each group of equal scores, highest first.
template <class Group>
void for_each_tie(std::span<const float> scores, std::span<const std::uint8_t> positive,
                  Group group) {
  const std::vector<Scored> order = ranked(scores, positive);
  for (std::size_t begin = 0; begin < order.size();) {
    double positives = 0, negatives = 0;
    std::size_t end = begin;
    for (; end < order.size() && order[end].score == order[begin].score; ++end) {
      (order[end].positive ? positives : negatives) += 1;
    }
    group(positives, negatives);
    begin = end;
  }
}

}  // namespace

std::vector<double> inverse_propensities(std::span<const std::uint64_t> label_counts,
                                         std::uint64_t num_examples,
                                         PropensityConstants constants) {
  const double examples = std::max(static_cast<double>(num_examples), std::exp(1.0));
  const double c = (std::log(examples) - 1) * std::pow(constants.b + 1, constants.a);
  std::vector<double> inverse;
  inverse.reserve(label_counts.size());
  for (const std::uint64_t count : label_counts) {
    inverse.push_back(1 + c * std::pow(static_cast<double>(count) + constants.b, -constants.a));
  }
  return inverse;
}

void RankingMetrics::add(std::span<const std::uint32_t> predicted,
                         std::span<const std::uint32_t> labels) {
  ++examples_;
  if (labels.empty()) return;
  ++labelled_examples_;
  double hits = 0, dcg = 0, best_dcg = 0;
  for (std::size_t i = 0; i < kMaxK; ++i) {
    if (i < predicted.size() && contains(labels, predicted[i])) {
      hits += 1;
      dcg += discount(i);
    }
    if (i < labels.size()) best_dcg += discount(i);
    hits_[i] += hits;
    recall_[i] += hits / static_cast<double>(labels.size());
    ndcg_[i] += dcg / best_dcg;
  }
  if (!inverse_propensity_.empty()) add_propensity_scored(predicted, labels);
}

void RankingMetrics::add_propensity_scored(std::span<const std::uint32_t> predicted,
                                           std::span<const std::uint32_t> labels) {
  std::vector<double> worth;
  for (const std::uint32_t label : labels) worth.push_back(inverse_propensity_[label]);
  std::sort(worth.begin(), worth.end(), std::greater<>());
  double psp = 0, best_psp = 0, psdcg = 0, best_psdcg = 0, best_dcg = 0;
  for (std::size_t i = 0; i < kMaxK; ++i) {
    if (i < predicted.size() && contains(labels, predicted[i])) {
      psp += inverse_propensity_[predicted[i]];
      psdcg += inverse_propensity_[predicted[i]] * discount(i);
    }
    if (i < worth.size()) {
      best_psp += worth[i];
      best_psdcg += worth[i] * discount(i);
      best_dcg += discount(i);
    }
    psp_[i] += psp;
    best_psp_[i] += best_psp;
    // Each example's share of its own best order without weights, as the programs behind published
    // numbers do it: examples with many labels count no more than others.
    psndcg_[i] += psdcg / best_dcg;
    best_psndcg_[i] += best_psdcg / best_dcg;
  }
}

double RankingMetrics::precision_at(std::size_t k) const {
  return examples_ == 0 ? 0
                        : hits_[k - 1] / static_cast<double>(k) / static_cast<double>(examples_);
}
double RankingMetrics::recall_at(std::size_t k) const {
  return labelled_examples_ == 0 ? 0 : recall_[k - 1] / static_cast<double>(labelled_examples_);
}
double RankingMetrics::ndcg_at(std::size_t k) const {
  return examples_ == 0 ? 0 : ndcg_[k - 1] / static_cast<double>(examples_);
}
double RankingMetrics::psp_at(std::size_t k) const { return share(psp_[k - 1], best_psp_[k - 1]); }
double RankingMetrics::psndcg_at(std::size_t k) const {
  return share(psndcg_[k - 1], best_psndcg_[k - 1]);
}

double auc(std::span<const float> scores, std::span<const std::uint8_t> positive) {
  double above = 0, pairs_won = 0, negatives_seen = 0;
  for_each_tie(scores, positive, [&](double positives, double negatives) {
    // A negative of this group loses against the positives seen above it and half-loses against its
    // ties.
    pairs_won += negatives * (above + positives / 2);
    above += positives;
    negatives_seen += negatives;
  });
  if (above == 0 || negatives_seen == 0) return std::numeric_limits<double>::quiet_NaN();
  return pairs_won / (above * negatives_seen);
}

double average_precision(std::span<const float> scores, std::span<const std::uint8_t> positive) {
  double positives_seen = 0, seen = 0, sum = 0;
  for_each_tie(scores, positive, [&](double positives, double negatives) {
    positives_seen += positives;
    seen += positives + negatives;
    sum += positives * positives_seen / seen;
  });
  return positives_seen == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / positives_seen;
}

}  // namespace frugal
