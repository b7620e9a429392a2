#include "libcore/metrics/decimate.h"

#include <algorithm>
#include <cmath>

namespace frugal {
namespace {

bool x_never_falls(std::span<const Point> points) {
  return std::is_sorted(points.begin(), points.end(),
                        [](const Point& a, const Point& b) { return a.x < b.x; });
}

void append_column(std::span<const Point> column, std::vector<Point>& out) {
  const auto lower = [](const Point& a, const Point& b) { return a.y < b.y; };
  const auto [low, high] = std::minmax_element(column.begin(), column.end(), lower);
  std::vector<std::size_t> kept{0, static_cast<std::size_t>(low - column.begin()),
                                static_cast<std::size_t>(high - column.begin()), column.size() - 1};
  std::sort(kept.begin(), kept.end());
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  for (const std::size_t i : kept) out.push_back(column[i]);
}

}  // namespace

std::vector<Point> decimated(std::span<const Point> points) {
  if (!x_never_falls(points)) return {points.begin(), points.end()};
  std::vector<Point> out;
  for (std::size_t begin = 0; begin < points.size();) {
    const double column = std::floor(points[begin].x);
    std::size_t end = begin + 1;
    while (end < points.size() && std::floor(points[end].x) == column) ++end;
    append_column(points.subspan(begin, end - begin), out);
    begin = end;
  }
  return out;
}

}  // namespace frugal
