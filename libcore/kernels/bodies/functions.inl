// Functions of each value of an array. The value of a piecewise linear one is a sum of ramps, one
// from each knot to the next: on nine knots that is cheaper than to look two of them up for each
// lane.
#pragma once
#include <cstring>
#include <limits>

#include "libcore/kernels/bodies/vec.h"
#include "libcore/kernels/kernels.h"
#include "libcore/kernels/log_polynomial.h"

namespace frugal {
namespace {

inline Vec log1p(Vec x) {
  // 1 + x = 2^exponent (1 + f)
  const Vec above = x + splat(1.0F);
  const IVec bits = reinterpret_cast<IVec>(above);
  const Vec exponent = __builtin_convertvector((bits >> 23) - 127, Vec);
  const IVec mantissa = (bits & 0x007fffff) | 0x3f800000;
  const Vec f = reinterpret_cast<Vec>(mantissa) - splat(1.0F);
  Vec rest{};
#pragma GCC unroll 8
  for (const float coefficient : kLogPolynomial) rest = rest * f + splat(coefficient);
  const Vec never = splat(-std::numeric_limits<float>::infinity());
  return select(x > never, exponent * splat(kLog2) + f * rest, never);
}

void log1p_all(float* x, std::size_t n) {
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store(x + i, log1p(load(x + i)));
  if (i == n) return;
  alignas(kVecBytes) float rest[kLanes] = {};
  std::memcpy(rest, x + i, (n - i) * sizeof(float));
  store(rest, log1p(load(rest)));
  std::memcpy(x + i, rest, (n - i) * sizeof(float));
}

/// The ramps of a PiecewiseLinear.
struct Ramps {
  static constexpr std::size_t kCount = PiecewiseLinear::kKnots - 1;
  float rises[kCount];

  explicit Ramps(const PiecewiseLinear& f) {
    for (std::size_t k = 0; k < kCount; ++k) rises[k] = f.values[k + 1] - f.values[k];
  }
};

inline Vec piecewise(const PiecewiseLinear& f, const Ramps& ramps, Vec x) {
  const Vec zero{}, one = splat(1.0F);
  const Vec at = (x - splat(f.first)) * splat(f.per_unit);
  Vec sum = splat(f.values[0]);
#pragma GCC unroll 8
  for (std::size_t k = 0; k < Ramps::kCount; ++k) {
    const Vec beyond = larger(at - splat(static_cast<float>(k)), zero);
    sum += splat(ramps.rises[k]) * select(beyond < one, beyond, one);
  }
  const Vec never = splat(-std::numeric_limits<float>::infinity());
  return select(x > never, sum, splat(f.values[PiecewiseLinear::kKnots]));
}

void add_piecewise(const PiecewiseLinear& f, const float* x, std::size_t n, float* y) {
  const Ramps ramps(f);
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store(y + i, load(y + i) + piecewise(f, ramps, load(x + i)));
  if (i == n) return;
  alignas(kVecBytes) float rest[kLanes] = {}, sums[kLanes] = {};
  std::memcpy(rest, x + i, (n - i) * sizeof(float));
  std::memcpy(sums, y + i, (n - i) * sizeof(float));
  store(sums, load(sums) + piecewise(f, ramps, load(rest)));
  std::memcpy(y + i, sums, (n - i) * sizeof(float));
}

}  // namespace
}  // namespace frugal
