#include "libcore/report/mean_lines.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace frugal;

TEST_CASE("lines of means go from left to right, with bands where runs differ") {
  MeanLines lines;
  lines.add("b", 40, {0.6, 0});
  lines.add("a", 10, {0.5, 0.25});
  lines.add("b", 10, {0.75, 0});
  lines.add("c", 10, {NAN, 0});
  const std::vector<Series> series = lines.series();
  REQUIRE(series.size() == 2);
  CHECK(series[0].name == "b");
  CHECK(series[0].x == std::vector<double>{10, 40});
  CHECK(series[0].y == std::vector<double>{0.75, 0.6});
  CHECK(series[0].low == series[0].y);
  CHECK(series[1].low == std::vector<double>{0.25});
  CHECK(series[1].high == std::vector<double>{0.75});
  MeanLines single;
  single.add("a", 1, {0.5, 0});
  CHECK(single.series()[0].low.empty());
}
