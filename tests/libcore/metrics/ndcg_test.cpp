#include "libcore/metrics/ndcg.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace frugal;
using doctest::Approx;

TEST_CASE("NDCG is the discounted sum of gains over that of the best order") {
  const std::vector<float> scores = {0.1F, 0.9F, 0.5F, 0.2F}, gains = {3, 0, 2, 1};
  // The order is 1, 2, 3, 0 with gains 0, 2, 1, 3; the best one has 3, 2, 1.
  const double third = 1 / std::log2(3.0), best = 3 + 2 * third + 0.5;
  CHECK(ndcg_at(10, scores, gains) == Approx((2 * third + 0.5 + 3 / std::log2(5.0)) / best));
  CHECK(ndcg_at(2, scores, gains) == Approx(2 * third / (3 + 2 * third)));
  CHECK(ndcg_at(1, scores, gains) == 0);
  CHECK(ndcg_at(4, gains, gains) == Approx(1));
}

TEST_CASE("equal scores share their gains, also those that only partly fit into the first k") {
  const std::vector<float> gains = {4, 2, 0, 0}, same(4, 0.5F);
  const double two = 1 + 1 / std::log2(3.0);
  CHECK(ndcg_at(2, same, gains) == Approx(1.5 * two / (4 + 2 / std::log2(3.0))));
  const std::vector<float> scores = {1, 0, 0, 0};
  CHECK(ndcg_at(2, scores, gains) ==
        Approx((4 + 2.0 / 3 / std::log2(3.0)) / (4 + 2 / std::log2(3.0))));
}

// Made with py-tgb 2.3.0's node evaluator (scikit-learn 1.9.1): y[i][c] = i * c * 7 % 5 and
// p[i][c] = (i * 3 + c * c) % 7 / 7, c below 23, i from 1 to 4.
TEST_CASE("NDCG at 10 is that of the Temporal Graph Benchmark") {
  const double expected[] = {0.48056275844431295, 0.5481056464639551, 0.6309613508655085,
                             0.57561005563788};
  for (std::size_t i = 1; i <= 4; ++i) {
    std::vector<float> scores, gains;
    for (std::size_t c = 0; c < 23; ++c) {
      gains.push_back(static_cast<float>(i * c * 7 % 5));
      scores.push_back(static_cast<float>((i * 3 + c * c) % 7) / 7);
    }
    CHECK(ndcg_at(10, scores, gains) == Approx(expected[i - 1]).epsilon(1e-7));
  }
}

TEST_CASE("a ranking without gains has an NDCG of 0") {
  CHECK(ndcg_at(10, std::vector<float>{1, 2}, std::vector<float>{0, 0}) == 0);
  CHECK(ndcg_at(10, {}, {}) == 0);
}
