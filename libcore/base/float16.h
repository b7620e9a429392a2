#pragma once
#include <bit>
#include <cstdint>

namespace frugal {

/// The upper half of an IEEE float: 8 exponent bits, 7 mantissa bits.
struct BFloat16 {
  std::uint16_t bits = 0;
};

/// IEEE half precision: 5 exponent bits, 10 mantissa bits.
struct Float16 {
  std::uint16_t bits = 0;
};

inline float to_float(BFloat16 x) { return std::bit_cast<float>(std::uint32_t{x.bits} << 16); }

/// Rounds to nearest, ties to even; NaN stays NaN.
inline BFloat16 to_bfloat16(float x) {
  const std::uint32_t u = std::bit_cast<std::uint32_t>(x);
  if ((u & 0x7fffffffu) > 0x7f800000u) return {static_cast<std::uint16_t>(u >> 16 | 0x40u)};
  return {static_cast<std::uint16_t>((u + 0x7fffu + (u >> 16 & 1u)) >> 16)};
}

float to_float(Float16 x);

/// Rounds a double to a float so that rounding this float again, to fewer bits, gives what rounding
/// `x` once would give. If `x` lies between two floats, the result is the one with an odd mantissa
/// ("Emulation of FMA and correctly rounded sums", Boldo and Melquiond, 2008). Rounding to nearest
/// twice can miss the nearest value.
float rounded_to_odd(double x);

/// Rounds to nearest, ties to even; overflow gives infinity, NaN stays NaN.
Float16 to_float16(float x);

}  // namespace frugal
