#include "tools/sparse-train/steps/dropout.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace frugal;
using namespace frugal::sparse;

TEST_CASE("dropout leaves out its share, keeps the mean and drops the same units again") {
  const Dropout dropout(0.3, 7);
  double dropped = 0, sum = 0;
  const std::size_t examples = 500, units = 33;
  for (std::uint32_t i = 0; i < examples; ++i) {
    std::vector<float> a(units, 1.0F), b(units, 2.0F);
    dropout.apply(5, 0, i, a);
    dropout.apply(5, 0, i, b);
    for (std::size_t j = 0; j < units; ++j) {
      CHECK(b[j] == 2 * a[j]);
      dropped += a[j] == 0;
      sum += static_cast<double>(a[j]);
    }
  }
  const double n = examples * units;
  CHECK(std::abs(dropped / n - 0.3) < 5 * std::sqrt(0.21 / n));
  CHECK(std::abs(sum / n - 1) < 5 * std::sqrt(0.3 / 0.7 / n));
}

TEST_CASE("the units dropped depend on seed, step, layer and example") {
  const auto mask = [](std::uint64_t seed, std::uint64_t step, std::size_t layer,
                       std::uint32_t example) {
    std::vector<float> units(64, 1.0F);
    Dropout(0.5, seed).apply(step, layer, example, units);
    return units;
  };
  const std::vector<float> first = mask(1, 1, 0, 1);
  CHECK(mask(1, 1, 0, 1) == first);
  CHECK(mask(2, 1, 0, 1) != first);
  CHECK(mask(1, 2, 0, 1) != first);
  CHECK(mask(1, 1, 1, 1) != first);
  CHECK(mask(1, 1, 0, 2) != first);
}
