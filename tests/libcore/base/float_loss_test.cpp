#include "libcore/base/float_loss.h"

#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>

namespace frugal {
namespace {

FloatLoss loss_of(std::initializer_list<double> numbers) {
  FloatLoss loss;
  for (const double x : numbers) loss.add(x, static_cast<float>(x));
  return loss;
}

TEST_CASE("Unix times of one minute lose their differences as floats") {
  const FloatLoss loss = loss_of({1700000000, 1700000010, 1700000020});
  CHECK(loss.lost());
  CHECK(!loss.is_settled());
  CHECK(loss.text() ==
        "32-bit floats round 1700000020 to 1700000000, though the numbers differ by 20 at most; "
        "subtract 1700000000 from all");
}

TEST_CASE("numbers far apart, equal ones and exact ones lose nothing") {
  CHECK(!loss_of({1700000000, 1700000010, 1600000000}).lost());
  CHECK(loss_of({1700000000, 1600000000}).is_settled());
  CHECK(!loss_of({0.1, 0.1, 0.1}).lost());
  CHECK(!loss_of({1, 2, 16777215}).lost());
  CHECK(!loss_of({}).lost());
  CHECK(!loss_of({std::nan(""), 0.1, HUGE_VAL}).lost());
}

TEST_CASE("differences between the pieces of a column count") {
  std::vector<FloatLoss> all;
  add_losses({loss_of({1.00000001}), loss_of({5})}, all);
  CHECK(!all[0].lost());
  add_losses({loss_of({1.00000002}), loss_of({7})}, all);
  CHECK(all[0].lost());
  CHECK(!all[1].lost());
}

}  // namespace
}  // namespace frugal
