#include "libcore/metrics/ranking.h"

#include <doctest/doctest.h>

#include <cmath>

#include "libcore/base/rng.h"

using namespace frugal;
using doctest::Approx;

TEST_CASE("precision, recall and nDCG at k of a case worked out by hand") {
  RankingMetrics metrics;
  const std::vector<std::uint32_t> predicted{4, 2, 9, 1, 0}, labels{2, 1, 7};
  metrics.add(predicted, labels);
  CHECK(metrics.precision_at(1) == 0);
  CHECK(metrics.precision_at(3) == Approx(1.0 / 3));
  CHECK(metrics.precision_at(5) == Approx(2.0 / 5));
  CHECK(metrics.recall_at(5) == Approx(2.0 / 3));
  // DCG@5 = 1/log2(3) + 1/log2(5); best = 1 + 1/log2(3) + 1/2.
  CHECK(metrics.ndcg_at(5) == Approx((0.6309297536 + 0.4306765581) / 2.1309297536));
  metrics.add(std::vector<std::uint32_t>{7, 1, 2, 0, 3}, labels);
  CHECK(metrics.precision_at(1) == Approx(0.5));
  CHECK(metrics.ndcg_at(3) == Approx((0.6309297536 / 2.1309297536 + 1) / 2));
}

TEST_CASE("an example without known labels counts as missed, and short predictions are allowed") {
  RankingMetrics metrics;
  metrics.add(std::vector<std::uint32_t>{0}, std::vector<std::uint32_t>{0});
  metrics.add(std::vector<std::uint32_t>{0}, {});
  CHECK(metrics.examples() == 2);
  CHECK(metrics.precision_at(1) == Approx(0.5));
  CHECK(metrics.precision_at(5) == Approx(0.1));
  CHECK(metrics.recall_at(1) == 1);
}

TEST_CASE("propensity-scored metrics are shares of the best possible") {
  const std::vector<std::uint64_t> counts{100, 1, 10};
  const auto inverse = inverse_propensities(counts, 1000);
  // C = (ln 1000 - 1) * 2.5^0.55 = 9.7788...; label 1: 1 + C * 2.5^-0.55 = ln 1000.
  CHECK(inverse[1] == Approx(std::log(1000.0)));
  CHECK(inverse[0] < inverse[2]);
  CHECK(inverse[2] < inverse[1]);
  RankingMetrics metrics(inverse);
  const std::vector<std::uint32_t> labels{0, 1};
  metrics.add(std::vector<std::uint32_t>{0, 2, 1}, labels);
  CHECK(metrics.psp_at(1) == Approx(inverse[0] / inverse[1]));
  CHECK(metrics.psp_at(3) == Approx(1));
  const double best = inverse[1] + inverse[0] / std::log2(3.0);
  CHECK(metrics.psndcg_at(3) == Approx((inverse[0] + inverse[1] / 2) / best));
}

TEST_CASE("propensity-scored nDCG gives an example with many labels no more weight") {
  RankingMetrics metrics({2, 3, 1, 1});
  metrics.add(std::vector<std::uint32_t>{3, 0}, std::vector<std::uint32_t>{0});
  metrics.add(std::vector<std::uint32_t>{1, 3}, std::vector<std::uint32_t>{0, 1});
  // Discounts: 1 and d = 1/log2(3). Example 1: 2d / 1 of at best 2; example 2: 3 / (1 + d) of at
  // best (3 + 2d) / (1 + d).
  const double d = 1 / std::log2(3.0);
  CHECK(metrics.psndcg_at(2) == Approx((2 * d + 3 / (1 + d)) / (2 + (3 + 2 * d) / (1 + d))));
  CHECK(metrics.psp_at(2) == Approx((2.0 + 3.0) / (2.0 + 5.0)));
}

TEST_CASE("inverse propensities are at least 1, however small the data") {
  const std::vector<std::uint64_t> counts{0, 1, 2};
  for (const std::uint64_t examples : {0, 1, 2, 3, 1000}) {
    for (const double value : inverse_propensities(counts, examples)) CHECK(value >= 1);
  }
}

TEST_CASE("a score that is no number counts as the lowest") {
  const float nan = std::nanf("");
  CHECK(auc(std::vector<float>{nan, 1, nan, 2}, std::vector<std::uint8_t>{0, 1, 0, 1}) == 1);
  CHECK(auc(std::vector<float>{nan, nan}, std::vector<std::uint8_t>{0, 1}) == Approx(0.5));
  CHECK(average_precision(std::vector<float>{nan, 1}, std::vector<std::uint8_t>{1, 0}) ==
        Approx(0.5));
}

TEST_CASE("AUC equals the count of ordered pairs, ties half") {
  CHECK(auc(std::vector<float>{0.1f, 0.4f, 0.35f, 0.8f}, std::vector<std::uint8_t>{0, 0, 1, 1}) ==
        Approx(0.75));
  CHECK(auc(std::vector<float>{1, 1, 1}, std::vector<std::uint8_t>{0, 1, 0}) == Approx(0.5));
  CHECK(std::isnan(auc(std::vector<float>{1, 2}, std::vector<std::uint8_t>{1, 1})));
  Rng rng(3);
  for (int repeat = 0; repeat < 50; ++repeat) {
    std::vector<float> scores;
    std::vector<std::uint8_t> positive;
    for (int i = 0; i < 40; ++i) {
      scores.push_back(static_cast<float>(rng.below(8)));
      positive.push_back(rng.below(3) == 0);
    }
    positive[0] = 1;
    positive[1] = 0;
    double won = 0, pairs = 0;
    for (std::size_t i = 0; i < 40; ++i) {
      for (std::size_t j = 0; j < 40; ++j) {
        if (!positive[i] || positive[j]) continue;
        pairs += 1;
        won += scores[i] > scores[j] ? 1 : scores[i] == scores[j] ? 0.5 : 0;
      }
    }
    CHECK(auc(scores, positive) == Approx(won / pairs));
  }
}

TEST_CASE("average precision of cases worked out by hand") {
  // Positives at ranks 2 and 3 of 4: (1/2 + 2/3) / 2.
  CHECK(average_precision(std::vector<float>{0.9f, 0.8f, 0.7f, 0.1f},
                          std::vector<std::uint8_t>{0, 1, 1, 0}) == Approx(7.0 / 12));
  CHECK(average_precision(std::vector<float>{5, 5}, std::vector<std::uint8_t>{0, 1}) ==
        Approx(0.5));
}
