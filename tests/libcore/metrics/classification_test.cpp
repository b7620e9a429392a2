#include "libcore/metrics/classification.h"

#include <doctest/doctest.h>

using namespace frugal;
using doctest::Approx;

TEST_CASE("accuracy and F1 of a confusion worked out by hand") {
  Confusion confusion(4);  // label 3 never occurs
  for (int i = 0; i < 6; ++i) confusion.add(0, 0);
  for (int i = 0; i < 2; ++i) confusion.add(0, 1);
  for (int i = 0; i < 3; ++i) confusion.add(1, 1);
  confusion.add(2, 0);
  CHECK(confusion.examples() == 12);
  CHECK(confusion.accuracy() == Approx(9.0 / 12));
  CHECK(confusion.f1(0) == Approx(2.0 * 6 / (8 + 7)));
  CHECK(confusion.f1(1) == Approx(2.0 * 3 / (3 + 5)));
  CHECK(confusion.f1(2) == 0);
  CHECK(confusion.macro_f1() == Approx((0.8 + 0.75 + 0) / 3));
}
