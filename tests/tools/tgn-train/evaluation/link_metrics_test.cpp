#include "tools/tgn-train/evaluation/link_metrics.h"

#include <doctest/doctest.h>

#include <limits>

#include "libcore/base/rng.h"

using namespace frugal;
using namespace frugal::tgn;
using doctest::Approx;

namespace {

/// Scores on a grid of eighths, so that there are ties; links score a little higher.
void add_drawn(LinkMetrics& metrics, std::size_t links) {
  Rng rng(11);
  for (std::size_t i = 0; i < links; ++i) {
    std::uint64_t link = rng.below(9);
    link += rng.below(3);
    metrics.add(static_cast<float>(link) / 8, static_cast<float>(rng.below(9)) / 8);
  }
}

}  // namespace

TEST_CASE("Average precision and AUC are scikit-learn's, at once and by batches of 200") {
  // What average_precision_score and roc_auc_score of scikit-learn 1.9.1 say of the same scores.
  LinkMetrics metrics;
  add_drawn(metrics, 450);
  CHECK(metrics.links() == 450);
  CHECK(metrics.average_precision() == Approx(0.612321471904).epsilon(1e-9));
  CHECK(metrics.auc() == Approx(0.604800000000).epsilon(1e-9));
  CHECK(metrics.ap_batch() == Approx(0.602750512866).epsilon(1e-9));
  CHECK(metrics.auc_batch() == Approx(0.589112500000).epsilon(1e-9));
}

TEST_CASE("The last, smaller batch weighs as much as the others") {
  LinkMetrics metrics(2);
  metrics.add(1, 0);
  metrics.add(1, 0);
  metrics.add(0, 1);
  CHECK(metrics.ap_batch() == Approx((1 + 0.5) / 2));
  CHECK(metrics.auc_batch() == Approx(0.5));
  // Of nine pairs the links of 1 win two each and tie one, the link of 0 ties two.
  CHECK(metrics.auc() == Approx((2 + 0.5 + 2 + 0.5 + 2 * 0.5) / 9));
}

TEST_CASE("A rank is between the best and the worst of its ties") {
  LinkMetrics metrics;
  metrics.add_ranked<float>(0.5F, std::vector<float>{0.1F, 0.9F, 0.5F, 0.5F});  // rank 3
  CHECK(metrics.mrr() == Approx(1 / 3.0));
  CHECK(metrics.hits_at(1) == 0);
  CHECK(metrics.hits_at(3) == 1);
  metrics.add_ranked<std::uint64_t>(7, std::vector<std::uint64_t>{1, 7});  // rank 1.5
  metrics.add_ranked<double>(2, std::vector<double>(30, 3));               // rank 31
  CHECK(metrics.ranked_links() == 3);
  CHECK(metrics.mrr() == Approx((1 / 3.0 + 1 / 1.5 + 1 / 31.0) / 3));
  CHECK(metrics.hits_at(1) == 0);
  CHECK(metrics.hits_at(3) == Approx(2 / 3.0));
  CHECK(metrics.hits_at(10) == Approx(2 / 3.0));
}

TEST_CASE("What is no number is as bad as can be") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  LinkMetrics links, negatives;
  links.add_ranked<float>(nan, std::vector<float>{-1e30F, nan});
  CHECK(links.mrr() == Approx(1 / 3.0));
  negatives.add_ranked<float>(1e30F, std::vector<float>{nan, 0});
  CHECK(negatives.mrr() == Approx(1 / 2.0));
  links.add(nan, -1e30F);
  CHECK(links.average_precision() == Approx(0.5));
  CHECK(links.auc() == 0);
  negatives.add(1e30F, nan);
  CHECK(negatives.auc() == 0);
}

TEST_CASE("Only what was measured has a name") {
  LinkMetrics metrics;
  CHECK(metrics.values().empty());
  metrics.add_rank(1, 0);
  REQUIRE(metrics.values().size() == 4);
  CHECK(metrics.values()[0] == std::pair<std::string, double>("mrr", 0.5));
  CHECK(metrics.values()[3] == std::pair<std::string, double>("hits_at_10", 1));
  metrics.add(1, 0);
  REQUIRE(metrics.values().size() == 8);
  CHECK(metrics.values()[2].first == "average_precision_batch200");
  metrics.remove_ranks();
  CHECK(metrics.values().size() == 4);
  CHECK(metrics.ranked_links() == 0);
}
