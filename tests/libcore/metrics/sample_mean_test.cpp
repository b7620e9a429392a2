#include "libcore/metrics/sample_mean.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace frugal;

TEST_CASE("the deviation is that of the sample, 0 of a single value") {
  const std::vector<double> values{2, 4, 9};
  const SampleMean three = sample_mean(values);
  CHECK(three.mean == doctest::Approx(5));
  CHECK(three.deviation == doctest::Approx(std::sqrt(13.0)));  // (9 + 1 + 16) / 2
  CHECK(sample_mean(std::span(values).first(1)).mean == 2);
  CHECK(sample_mean(std::span(values).first(1)).deviation == 0);
  CHECK(sample_mean({}).mean == 0);
}
