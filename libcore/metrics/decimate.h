#pragma once
#include <span>
#include <vector>

namespace frugal {

/// A point in pixels.
struct Point {
  double x = 0;
  double y = 0;
};

/// A drawing of the polyline with at most four points for each pixel column: the first, lowest,
/// highest and last of those that fall into it, in their order. Its extremes in every column are
/// those of `points`, so peaks survive. x must not fall; else, and where it would save nothing, all
/// points come back.
std::vector<Point> decimated(std::span<const Point> points);

}  // namespace frugal
