#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tools/tgn-train/history/walk_projections.h"

using namespace frugal;
using namespace frugal::tgn;

TEST_CASE("Logarithms of what is compressed are right and never fall") {
  CHECK(log_compressed(0) == 0);
  float last = 0;
  for (float x = 1e-6F; x < 1e30F; x *= 1.0003F) {
    const double expected = std::log1p(static_cast<double>(x));
    const float found = log_compressed(x);
    CHECK(std::abs(found - expected) < 1e-6 + 2.5e-7 * expected);
    CHECK(found >= last - 1e-6F);
    last = found;
  }
  CHECK(log_compressed(std::numeric_limits<float>::max()) == doctest::Approx(128 * std::log(2.0)));
}
