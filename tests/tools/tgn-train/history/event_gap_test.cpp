#include <doctest/doctest.h>

#include "tests/tools/tgn-train/evaluation/small_events.h"
#include "tools/tgn-train/history/pair_history.h"

using namespace frugal;
using namespace frugal::tgn;

TEST_CASE("The mean gap is that of neighbours, 1 where there is none") {
  SmallEvents small;
  for (const std::int64_t time : {4, 4, 10, 19, 19}) small.add(0, 0, time);
  CHECK(mean_gap(small.view().times, 0, 5) == doctest::Approx(15 / 4.0));
  CHECK(mean_gap(small.view().times, 0, 2) == 1);
  CHECK(mean_gap(small.view().times, 3, 3) == 1);
}
