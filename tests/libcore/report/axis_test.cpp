#include "libcore/report/axis.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "libcore/base/rng.h"

using namespace frugal;

namespace {

using Values = std::vector<double>;
using Labels = std::vector<std::string>;

Labels labels_of(const AxisRange& range, std::size_t max_ticks) {
  return Axis(range, 0, 100, max_ticks).labels();
}

}  // namespace

TEST_CASE("ticks are multiples of 1, 2 or 5 within the range") {
  CHECK(nice_ticks(0, 1, 6) == Values{0, 0.2, 0.4, 0.6, 0.8, 1});
  CHECK(nice_ticks(0, 1, 11).size() == 11);
  CHECK(nice_ticks(0, 0.3, 4) == Values{0, 0.1, 0.2, 0.3});
  CHECK(nice_ticks(399, 2001, 6) == Values{500, 1000, 1500, 2000});
  CHECK(nice_ticks(-3, 12, 5) == Values{0, 5, 10});
  CHECK(nice_ticks(84.2, 93.4, 6) == Values{86, 88, 90, 92});
  CHECK(nice_ticks(1e9, 1e9 + 4, 5) == Values{1e9, 1e9 + 1, 1e9 + 2, 1e9 + 3, 1e9 + 4});
}

TEST_CASE("ticks of any range are at most as many as asked, at least two in a widened one") {
  Rng rng(3);
  for (int i = 0; i < 2000; ++i) {
    const double low = std::pow(10, rng.uniform(-30, 30)) * (rng.below(2) ? 1 : -1);
    const double high = low + std::abs(low) * std::pow(10, rng.uniform(-6, 6));
    const std::size_t max_count = 3 + rng.below(9);
    CAPTURE(low);
    CAPTURE(high);
    CHECK(nice_ticks(low, high, max_count).size() <= max_count);
    const AxisRange wide = widened({low, high, false}, max_count);
    CHECK(wide.low <= low);
    CHECK(wide.high >= high);
    CHECK(nice_ticks(wide.low, wide.high, max_count).size() >= 2);
  }
}

TEST_CASE("a widened axis begins and ends on ticks") {
  const AxisRange wide = widened({6.3, 7.7, false}, 8);
  const Values ticks = nice_ticks(wide.low, wide.high, 8);
  CHECK(ticks.front() == doctest::Approx(wide.low));
  CHECK(ticks.back() == doctest::Approx(wide.high));
  const AxisRange decades = widened({0.7, 130, true}, 8);
  CHECK(decades.low == 0.5);
  CHECK(decades.high == 200);
}

TEST_CASE("logarithmic ticks thin out as the decades grow") {
  CHECK(log_ticks(2, 3, 6) == Values{2, 2.2, 2.4, 2.6, 2.8, 3});
  CHECK(log_ticks(1, 100, 8) == Values{1, 2, 5, 10, 20, 50, 100});
  CHECK(log_ticks(0.5, 2000, 6) == Values{1, 10, 100, 1000});
  CHECK(log_ticks(1e-9, 1e3, 5) == Values{1e-9, 1e-6, 1e-3, 1, 1e3});
}

TEST_CASE("labels have the decimals that tell them apart") {
  CHECK(tick_labels(Values{0, 0.5, 1}, false) == Labels{"0", "0.5", "1.0"});
  CHECK(tick_labels(Values{0, 0.25, 0.5}, false) == Labels{"0", "0.25", "0.50"});
  CHECK(tick_labels(Values{0, 500, 1000}, false) == Labels{"0", "500", "1000"});
  CHECK(tick_labels(Values{0, 5000, 10000}, false) == Labels{"0", "5k", "10k"});
  CHECK(tick_labels(Values{1e6, 1.5e6}, false) == Labels{"1.0M", "1.5M"});
  CHECK(tick_labels(Values{-2, 0, 2}, false) == Labels{"−2", "0", "2"});
  CHECK(tick_labels(Values{0, 2e-4, 4e-4}, false) == Labels{"0", "2×10⁻⁴", "4×10⁻⁴"});
  CHECK(tick_labels(Values{1e-4, 0.01, 1, 100, 1e4, 1e6, 1e9}, true) ==
        Labels{"10⁻⁴", "0.01", "1", "100", "10k", "1M", "1G"});
  CHECK(labels_of({0.7, 130, true}, 8) == Labels{"1", "2", "5", "10", "20", "50", "100"});
}

TEST_CASE("what has no place on an axis does not stretch it") {
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  const Values values{nan, inf, -inf, -1, 0, 3, 1e308};
  CHECK(range_of(values, false)->low == -1);
  CHECK(range_of(values, false)->high == 3);
  CHECK(range_of(Values{nan, -1, 0, 4, 9}, true)->low == 4);
  CHECK_FALSE(range_of(Values{nan, inf}, false).has_value());
  CHECK_FALSE(range_of(Values{-1, 0}, true).has_value());
}

TEST_CASE("a single value gets room on both sides") {
  for (const double v : {0.0, 7.0, -7.0, 1e-300, 1e280, 5e-324}) {
    const AxisRange range = *range_of(Values{v, v}, false);
    CAPTURE(v);
    CHECK(range.low < v);
    CHECK(range.high > v);
    CHECK(std::isfinite(Axis(range, 0, 100, 5).pixel(v)));
  }
}

TEST_CASE("an axis of whole numbers has no tick between two of them") {
  const AxisRange epochs = *range_of(Values{1, 2, 3}, false);
  CHECK(epochs.whole);
  CHECK(labels_of(epochs, 11) == Labels{"1", "2", "3"});
  CHECK(labels_of({1, 3, false}, 11).size() == 11);
  CHECK(labels_of(*range_of(Values{4, 4}, false), 11) == Labels{"4"});
  CHECK(labels_of(widened(epochs, 11), 11) == Labels{"1", "2", "3"});
  CHECK(labels_of({0, 300, false, true}, 4) == Labels{"0", "100", "200", "300"});
  CHECK_FALSE(range_of(Values{1, 2.5}, false)->whole);
  CHECK_FALSE(range_of(Values{1, 2}, true)->whole);
}

TEST_CASE("pixels run from start to end") {
  const Axis down({0, 10, false}, 200, 100, 5);
  CHECK(down.pixel(0) == 200);
  CHECK(down.pixel(10) == 100);
  CHECK(down.pixel(2.5) == 175);
  const Axis log({1, 100, true}, 0, 50, 5);
  CHECK(log.pixel(10) == doctest::Approx(25));
}
