// Sums of the lanes of several vectors at once.
#pragma once
#include "libcore/kernels/bodies/vec.h"

namespace frugal {
namespace {

/// Combines v[i] and v[i + Half]: lane 2 l of the result has shares of the first's lanes l and l +
/// kLanes / 2, lane 2 l + 1 those of the second's.
template <std::size_t Half>
inline void halve_vectors(Vec* v) {
#pragma GCC unroll 8
  for (std::size_t i = 0; i < Half; ++i) {
    v[i] = interleave_low(v[i], v[i + Half]) + interleave_high(v[i], v[i + Half]);
  }
}

/// sums[i] = the sum of the lanes i, i + K, i + 2 K ... of v.
template <std::size_t K, class V>
inline void store_folded(V v, float* sums) {
  if constexpr (sizeof v > 4 * sizeof(float) && sizeof v > K * sizeof(float)) {
    store_folded<K>(add_halves(v), sums);
  } else if constexpr (sizeof v == K * sizeof(float)) {
    __builtin_memcpy(sums, &v, sizeof v);
  } else if constexpr (K == 2) {
    sums[0] = v[0] + v[2];
    sums[1] = v[1] + v[3];
  } else {
    sums[0] = (v[0] + v[2]) + (v[1] + v[3]);
  }
}

/// sums[i] = the sum of v[i]'s lanes for K = 1, 2, 4, 8 or 16 vectors, together: a third of the
/// work of one after the other.
template <std::size_t K>
inline void store_lane_sums(Vec* v, float* sums) {
  if constexpr (K > kLanes) {
#pragma GCC unroll 8
    for (std::size_t i = 0; i < K; i += kLanes) store_lane_sums<kLanes>(v + i, sums + i);
  } else {
    if constexpr (K >= 16) halve_vectors<8>(v);
    if constexpr (K >= 8) halve_vectors<4>(v);
    if constexpr (K >= 4) halve_vectors<2>(v);
    if constexpr (K >= 2) halve_vectors<1>(v);
    // Lane i + j K has a share of sum i.
    store_folded<K>(v[0], sums);
  }
}

}  // namespace
}  // namespace frugal
