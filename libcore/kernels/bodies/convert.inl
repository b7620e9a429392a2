// f32 to bf16 and back.
#pragma once
#include "libcore/kernels/bodies/vec.h"
#include "libcore/kernels/kernels.h"
#include "libcore/kernels/mix32.h"

namespace frugal {
namespace {

/// As to_bfloat16(): nearest, ties to even; NaN stays a (quiet) NaN.
inline UVec bf16_bits(Vec v) {
  const UVec u = reinterpret_cast<UVec>(v);
  const UVec rounded = (u + 0x7fffu + (u >> 16 & 1u)) >> 16;
  const UVec nan = reinterpret_cast<UVec>(v != v);
  return (nan & (u >> 16 | 0x40u)) | (~nan & rounded);
}

inline HalfVec to_half(Vec v) {
#if defined(__AVX512BF16__)
  // The instruction takes subnormal numbers for zero; else it rounds as above, three times faster.
  constexpr int kSubnormal = 0x20;
  if (__builtin_expect(_mm512_fpclass_ps_mask(v, kSubnormal) == 0, 1)) {
    return __builtin_bit_cast(HalfVec, _mm512_cvtneps_pbh(v));
  }
#endif
  return __builtin_convertvector(bf16_bits(v), HalfVec);
}

void to_bf16(const float* x, BFloat16* y, std::size_t n) {
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    *reinterpret_cast<UnalignedHalfVec*>(y + i) = to_half(load(x + i));
  }
  if (i == n) return;
  const UVec last = bf16_bits(First(n - i).load(x + i));
  for (std::size_t j = 0; i + j < n; ++j) y[i + j].bits = static_cast<std::uint16_t>(last[j]);
}

/// v rounded up where adding `noise`, 16 bits, carries, else down.
template <class Lanes>
inline void store_at_random(BFloat16* y, Vec v, UVec noise, const Lanes& lanes) {
  const UVec u = reinterpret_cast<UVec>(v);
  const UVec bits = (v != v ? u | 0x400000u : u + noise) >> 16;
  if constexpr (__is_same(Lanes, Full)) {
    *reinterpret_cast<UnalignedHalfVec*>(y) = __builtin_convertvector(bits, HalfVec);
  } else {
    for (std::size_t j = 0; j < lanes.size(); ++j) y[j].bits = static_cast<std::uint16_t>(bits[j]);
  }
}

void to_bf16_at_random(const float* x, BFloat16* y, std::size_t n, std::uint32_t key) {
  UVec place{};
  for (std::uint32_t i = 0; i < kLanes; ++i) place[i] = key + i * kMixStep;
  for_each_vec(n, [&](std::size_t i, auto part) {
    store_at_random(y + i, part.load(x + i), mix32(place) >> 16, part);
    place += static_cast<std::uint32_t>(kLanes) * kMixStep;
  });
}

void dropout(float* x, std::size_t n, std::uint32_t key, std::uint32_t threshold, float scale) {
  UVec place{};
  for (std::uint32_t i = 0; i < kLanes; ++i) place[i] = key + i * kMixStep;
  for_each_vec(n, [&](std::size_t i, auto part) {
    const IVec kept = reinterpret_cast<IVec>(mix32(place) >= threshold);
    part.store(x + i, select(kept, scale * part.load(x + i), Vec{}));
    place += static_cast<std::uint32_t>(kLanes) * kMixStep;
  });
}

void from_bf16(const BFloat16* x, float* y, std::size_t n) {
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const HalfVec bits = *reinterpret_cast<const UnalignedHalfVec*>(x + i);
    store(y + i, reinterpret_cast<Vec>(widen(bits) << 16));
  }
  for (; i < n; ++i) {
    y[i] = __builtin_bit_cast(float, static_cast<std::uint32_t>(x[i].bits) << 16);
  }
}

}  // namespace
}  // namespace frugal
