// Products of bytes: rows rounded to 8 bits are a quarter of the memory traffic of floats.
#pragma once
#include "libcore/kernels/bodies/vec.h"
#include "libcore/kernels/kernels.h"

namespace frugal {
namespace {

inline constexpr std::size_t kByteVecs = kByteRows / kLanes;  ///< vectors of sums of a panel

/// Four columns of the rows of a panel at w, once for each vector of sums.
inline void add_columns(BVec x, const std::int8_t* w, IVec* sums) {
#pragma GCC unroll 4
  for (std::size_t v = 0; v < kByteVecs; ++v) {
    sums[v] = add_byte_products(sums[v], x, load_bytes(w + v * kVecBytes));
  }
}

void score_bytes(const ByteScores& s) {
  const std::int8_t* w = s.panels;
  for (std::size_t row = 0; row < s.num_rows; row += kByteRows) {
    IVec sums[kByteVecs] = {};
    for (std::size_t p = 0; p < s.depth; p += 4, w += 4 * kByteRows) {
      std::int32_t four;
      __builtin_memcpy(&four, s.x + p, sizeof four);
      add_columns(reinterpret_cast<BVec>(splat(four)), w, sums);
    }
    for (std::size_t v = 0; v < kByteVecs; ++v) {
      const std::size_t at = row + v * kLanes;
      const Vec products = __builtin_convertvector(sums[v], Vec);
      const Vec score = load(s.scale + at) * (splat(s.x_scale) * products) +
                        splat(s.x_offset) * load(s.total + at) + load(s.bias + at);
      store(s.scores + at, score);
      store(s.highest + at, score + splat(s.row_error) * load(s.error + at) +
                                splat(s.x_error) * load(s.length + at));
    }
  }
}

}  // namespace
}  // namespace frugal
