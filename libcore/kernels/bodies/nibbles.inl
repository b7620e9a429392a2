// Products of rows rounded to 4 bits, an eighth of the memory traffic of floats.
#pragma once
#include "libcore/kernels/bodies/vec.h"
#include "libcore/kernels/kernels.h"

namespace frugal {
namespace {

inline constexpr std::size_t kNibbleVecs = kNibbleRows / kLanes;  ///< vectors of sums of a panel

inline BVec splat_four(const std::int8_t* x) {
  std::int32_t four;
  __builtin_memcpy(&four, x, sizeof four);
  return reinterpret_cast<BVec>(splat(four));
}

/// Eight columns of the rows of a panel at w, once for each vector of sums.
inline void add_columns(const std::int8_t* x, const std::uint8_t* w, IVec* sums) {
  const BVec low = splat_four(x), high = splat_four(x + 4);
#pragma GCC unroll 4
  for (std::size_t v = 0; v < kNibbleVecs; ++v) {
    sums[v] = add_nibble_products(sums[v], load_words(w + v * kVecBytes), low, high);
  }
}

void score_nibbles(const NibbleScores& s) {
  const std::uint8_t* w = s.panels;
  for (std::size_t row = 0; row < s.num_rows; row += kNibbleRows) {
    IVec sums[kNibbleVecs];
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kNibbleVecs; ++v) sums[v] = splat(s.offset);
    for (std::size_t p = 0; p < s.depth; p += 8, w += 4 * kNibbleRows)
      add_columns(s.x + p, w, sums);
    Vec highest = splat(-__builtin_inff());
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kNibbleVecs; ++v) {
      const std::size_t at = row + v * kLanes;
      const Vec products = __builtin_convertvector(sums[v], Vec);
      const Vec z = load(s.scale + at) * (splat(s.x_scale) * products) + load(s.bias + at);
      const Vec error = load(s.error + at);
      store(s.scores + at, z + error * (splat(s.shift) - splat(s.half_variance) * error));
      highest = larger(z + splat(s.slack) * error, highest);
    }
    s.highest[row / kNibbleRows] = max(highest);
  }
}

}  // namespace
}  // namespace frugal
