#include <limits>

#include "tests/libcore/kernels/every_level.h"

using namespace frugal;

namespace {

/// By looking the knots up, in double.
double value_of(const PiecewiseLinear& f, float x) {
  constexpr std::size_t kLast = PiecewiseLinear::kKnots - 1;
  if (x == -std::numeric_limits<float>::infinity()) return f.values[kLast + 1];
  const double at =
      (static_cast<double>(x) - static_cast<double>(f.first)) * static_cast<double>(f.per_unit);
  if (at <= 0) return f.values[0];
  if (at >= kLast) return f.values[kLast];
  const auto left = static_cast<std::size_t>(at);
  const double share = at - static_cast<double>(left);
  return (1 - share) * f.values[left] + share * f.values[left + 1];
}

}  // namespace

TEST_CASE("add_piecewise adds a function that is linear between its knots") {
  const std::vector<float> values = {0.5f, -1, 3, 3, 0, 2, -2, 0.25f, 8, -5};
  const PiecewiseLinear f{-2, 0.75f, values.data()};
  at_every_size([&](const Kernels& k, std::size_t n) {
    Floats x = Floats::random(n, 2, -6, 14), y = Floats::random(n, 3);
    std::vector<double> want(n);
    for (std::size_t i = 0; i < n; ++i) {
      if (i % 7 == 3) x[i] = -std::numeric_limits<float>::infinity();
      if (i % 7 == 5) x[i] = -2 + static_cast<float>(i % 9) / 0.75f;  // a knot
      want[i] = static_cast<double>(y[i]) + value_of(f, x[i]);
    }
    k.add_piecewise(f, x.data(), n, y.data());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i) wrong += close(y[i], want[i], 100) ? 0 : 1;
    CHECK(wrong == 0);
  });
}
