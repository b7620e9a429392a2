#pragma once
#include <bit>
#include <cstdint>

namespace frugal::tgn {

/// ln(1 + x) of finite x >= 0, off by less than 1e-6 and four units in the last place, for features
/// of which there are many.
inline float log_compressed(float x) {
  // 1 + x = 2^exponent (1 + f). The polynomial is that of ln(1 + f) / f with the least error of
  // those that are right at 0 and 1, so that the result rises with x from one power of two to the
  // next.
  const auto bits = std::bit_cast<std::uint32_t>(1 + x);
  const auto exponent = static_cast<float>(static_cast<int>(bits >> 23) - 127);
  const float f = std::bit_cast<float>((bits & 0x007fffffU) | 0x3f800000U) - 1;
  const float rest =
      (((((0.011883456F * f - 0.059304261F) * f + 0.140769598F) * f - 0.230346594F) * f +
        0.329915576F) *
           f -
       0.499770594F) *
          f +
      1;
  return exponent * 0.693147181F + f * rest;
}

}  // namespace frugal::tgn
