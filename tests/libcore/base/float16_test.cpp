#include "libcore/base/float16.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace frugal;

TEST_CASE("every half value survives the way through float") {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const Float16 half{static_cast<std::uint16_t>(bits)};
    const float x = to_float(half);
    if (std::isnan(x)) {
      CHECK(std::isnan(to_float(to_float16(x))));
    } else {
      CHECK(to_float16(x).bits == bits);
    }
  }
}

TEST_CASE("half conversion rounds to nearest, ties to even, and overflows to infinity") {
  CHECK(to_float16(1.0f).bits == 0x3c00);
  CHECK(to_float16(1.0f + 0x1p-11f).bits == 0x3c00);      // tie: even mantissa below
  CHECK(to_float16(1.0f + 3 * 0x1p-11f).bits == 0x3c02);  // tie: even mantissa above
  CHECK(to_float16(65519.0f).bits == 0x7bff);
  CHECK(to_float16(65520.0f).bits == 0x7c00);
  CHECK(to_float16(-0.0f).bits == 0x8000);
  CHECK(to_float16(0x1p-24f).bits == 1);
  CHECK(to_float16(0x1p-26f).bits == 0);
}

TEST_CASE("every bfloat16 value survives and rounding is to nearest even") {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const float x = to_float(BFloat16{static_cast<std::uint16_t>(bits)});
    if (std::isnan(x)) {
      CHECK(std::isnan(to_float(to_bfloat16(x))));
    } else {
      CHECK(to_bfloat16(x).bits == bits);
    }
  }
  CHECK(to_bfloat16(1.0f + 0x1p-8f).bits == 0x3f80);      // tie to even
  CHECK(to_bfloat16(1.0f + 3 * 0x1p-8f).bits == 0x3f82);  // tie to even
  CHECK(std::isinf(to_float(to_bfloat16(std::numeric_limits<float>::max()))));
}

TEST_CASE("a double is rounded once on its way to 16 bits") {
  // Just above a tie: a float would be the tie, and go down to the even neighbour.
  CHECK(to_float16(rounded_to_odd(1 + 0x1p-11 + 0x1p-40)).bits == 0x3c01);
  CHECK(to_float16(rounded_to_odd(-1 - 3 * 0x1p-11 + 0x1p-40)).bits == 0xbc01);
  CHECK(to_bfloat16(rounded_to_odd(1 + 0x1p-8 + 0x1p-40)).bits == 0x3f81);
  CHECK(to_bfloat16(rounded_to_odd(1 + 0x1p-8)).bits == 0x3f80);  // the tie itself
  CHECK(to_float16(rounded_to_odd(65520 - 0x1p-30)).bits == 0x7bff);
  CHECK(to_float16(rounded_to_odd(0x1p-25 + 0x1p-70)).bits == 1);  // above half of the smallest
  CHECK(to_bfloat16(rounded_to_odd(-0x1p-134 - 0x1p-180)).bits == 0x8001);
  CHECK(to_bfloat16(rounded_to_odd(1e300)).bits == 0x7f80);
  CHECK(std::isnan(rounded_to_odd(std::numeric_limits<double>::quiet_NaN())));
  CHECK(rounded_to_odd(-0.1f) == -0.1f);  // exact as it is
}
