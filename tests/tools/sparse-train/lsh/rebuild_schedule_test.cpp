#include <doctest/doctest.h>

#include <cmath>

#include "tools/sparse-train/lsh/lsh_options.h"

using namespace frugal;
using namespace frugal::sparse;

TEST_CASE("rebuilds follow the published schedule") {
  const RebuildSchedule schedule{50, 1.5};
  double sum = 0;
  for (int t = 1; t <= 12; ++t) {
    sum += 50 * std::pow(1.5, t - 1);
    const auto position = schedule.at(static_cast<std::uint64_t>(sum) + 1);
    CHECK(position.rebuilds == static_cast<std::uint64_t>(t));
    CHECK(std::abs(static_cast<double>(position.last) - sum) <= 12);  // rounded down at each term
    CHECK(schedule.at(position.last).last == position.last);
    CHECK(schedule.at(position.last - 1).rebuilds == static_cast<std::uint64_t>(t - 1));
  }
  CHECK(schedule.at(49).rebuilds == 0);
  CHECK(schedule.at(50).rebuilds == 1);
}

TEST_CASE("a fixed period and none are special cases") {
  const RebuildSchedule fixed{50, 1}, never{0, 1.5};
  CHECK(fixed.at(49).rebuilds == 0);
  CHECK(fixed.at(149).rebuilds == 2);
  CHECK(fixed.at(149).last == 100);
  CHECK(never.at(1000000).rebuilds == 0);
}
