#include <doctest/doctest.h>

#include <cmath>
#include <map>

#include "libcore/base/rng.h"
#include "libcore/report/figure_parts.h"

using namespace frugal;

namespace {

struct Column {
  double low, high, first, last;
  bool operator==(const Column&) const = default;
};

std::map<int, Column> columns(std::span<const Point> points) {
  std::map<int, Column> out;
  for (const Point& p : points) {
    const auto [place, is_new] =
        out.try_emplace(static_cast<int>(std::floor(p.x)), Column{p.y, p.y, p.y, p.y});
    Column& column = place->second;
    column.low = std::min(column.low, p.y);
    column.high = std::max(column.high, p.y);
    column.last = p.y;
  }
  return out;
}

}  // namespace

TEST_CASE("every pixel column keeps its first, lowest, highest and last point") {
  Rng rng(11);
  std::vector<Point> points;
  for (int i = 0; i < 100000; ++i) points.push_back({i * 0.007 - 3, rng.normal()});
  points[54321].y = 1e6;  // one sample wide
  const std::vector<Point> kept = decimated(points);
  CHECK(columns(kept) == columns(points));
  CHECK(kept.size() <= 4 * columns(points).size());
}

TEST_CASE("few points stay as they are") {
  const std::vector<Point> points{{0, 1}, {10, 2}, {20, 0}};
  const std::vector<Point> kept = decimated(points);
  REQUIRE(kept.size() == 3);
  CHECK(kept[1].y == 2);
  CHECK(decimated({}).empty());
}

TEST_CASE("a curve that turns back is drawn whole") {
  const std::vector<Point> spiral{{0, 0}, {0.1, 5}, {0.05, 2}, {0.2, 3}, {0.1, 4}};
  CHECK(decimated(spiral).size() == spiral.size());
}
