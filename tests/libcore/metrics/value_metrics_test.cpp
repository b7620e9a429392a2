#include "libcore/metrics/value_metrics.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace frugal;

TEST_CASE("Metrics of numbers are in the unit of the numbers") {
  ValueMetrics metrics({10, 2});
  // Outputs are 12, 8 and 10 in the unit of the numbers: errors -2, -2 and 4.
  metrics.add(1, 14);
  metrics.add(-1, 10);
  metrics.add(0, 6);
  CHECK(metrics.values() == 3);
  CHECK(metrics.rmse() == doctest::Approx(std::sqrt(24.0 / 3)));
  CHECK(metrics.mae() == doctest::Approx(8.0 / 3));
  // Squared deviations from the mean 10: 16 + 0 + 16.
  CHECK(metrics.r2() == doctest::Approx(1 - 24.0 / 32));
  CHECK(metrics.baseline_rmse() == doctest::Approx(std::sqrt(32.0 / 3)));
  ValueMetrics equal({});
  equal.add(3, 3);
  CHECK(equal.r2() == 0);
}
