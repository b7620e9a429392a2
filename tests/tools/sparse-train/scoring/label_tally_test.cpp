#include "tools/sparse-train/scoring/label_tally.h"

#include <doctest/doctest.h>

using namespace frugal;
using namespace frugal::sparse;

TEST_CASE("precision, recall and F1 come from hits, predictions and truths") {
  LabelTally tally(4);
  const auto add = [&](std::vector<std::uint32_t> predicted, std::vector<std::uint32_t> actual) {
    tally.add(predicted, actual);
  };
  add({0, 1}, {0});
  add({0}, {0, 2});
  add({1}, {0});
  add({}, {1});
  const auto& labels = tally.labels();
  CHECK(labels[0].precision() == 1);
  CHECK(labels[0].recall() == doctest::Approx(2.0 / 3));
  CHECK(labels[0].f1() == doctest::Approx(0.8));
  CHECK(labels[1].f1() == 0);
  CHECK(labels[2].recall() == 0);
  CHECK(labels[3].f1() == 0);
  CHECK(tally.total().hits == 2);
  CHECK(tally.total().predicted == 4);
  CHECK(tally.total().actual == 5);
  CHECK(tally.total().f1() == doctest::Approx(4.0 / 9));
  CHECK(tally.macro_f1() == doctest::Approx(0.8 / 3));  // label 3 never occurs
  CHECK(LabelTally(2).macro_f1() == 0);
}
