#include "libcore/graph/class_features.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace frugal;

TEST_CASE("features are the centre of the class and standard normal noise") {
  constexpr std::size_t kDim = 7, kRows = 4000;
  const ClassFeatures features(2, kDim, 3, 5);
  std::vector<double> mean(kDim), squares(kDim);
  std::vector<float> row(kDim);
  for (NodeId v = 0; v < kRows; ++v) {
    features.fill(v, 1, row);
    for (std::size_t i = 0; i < kDim; ++i) {
      mean[i] += row[i] / double{kRows};
      squares[i] += double{row[i]} * row[i] / kRows;
    }
  }
  double length = 0;
  for (std::size_t i = 0; i < kDim; ++i) {
    length += mean[i] * mean[i];
    CHECK(squares[i] - mean[i] * mean[i] == doctest::Approx(1).epsilon(0.1));
  }
  CHECK(std::sqrt(length) == doctest::Approx(3).epsilon(0.03));
}

TEST_CASE("a row depends on seed, node and class alone") {
  const ClassFeatures a(3, 5, 1, 5), b(3, 5, 1, 5), c(3, 5, 1, 6);
  std::vector<float> first(5), again(5), other(5);
  a.fill(17, 2, first);
  b.fill(17, 2, again);
  CHECK(first == again);
  a.fill(18, 2, other);
  CHECK(first != other);
  c.fill(17, 2, other);
  CHECK(first != other);
}

TEST_CASE("the best accuracy is what theory says for two classes") {
  // Two centres at distance d are told apart with probability Phi(d / 2).
  for (const double separation : {0.0, 0.7, 2.0}) {
    const ClassFeatures features(2, 64, separation, 9);
    const double distance = separation * std::sqrt(2.0);  // nearly orthogonal directions
    const double expected = 0.5 * std::erfc(-distance / 2 / std::sqrt(2.0));
    CHECK(std::abs(features.best_accuracy() - expected) < 0.03);
  }
}
