#pragma once
/// Random numbers of libcore/kernels/mix32.h and functions of them, bitwise equal.
#include <cstdint>

#include "libcore/device/cuda/launcher.h"

namespace frugal::cuda {

inline constexpr std::uint32_t kMixStep = 0x9e3779b9U;

FRUGAL_DEVICE std::uint32_t mix32(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352dU;
  x = (x ^ (x >> 15)) * 0x846ca68bU;
  return x ^ (x >> 16);
}

/// The hash functions of libcore/base/hash.h and rng.h.
FRUGAL_DEVICE std::uint64_t mix64(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}
FRUGAL_DEVICE std::uint64_t hash_combine(std::uint64_t a, std::uint64_t b) {
  return mix64(a + 0x9e3779b97f4a7c15U + b * 0xff51afd7ed558ccdU);
}
/// Draw number `index` of the Rng with that key.
FRUGAL_DEVICE std::uint64_t draw_at(std::uint64_t key, std::uint64_t index) {
  return mix64(mix64(key + index * 0x9e3779b97f4a7c15U) ^ key);
}

/// Bits of x as bf16, rounded stochastically by the random number of key and i, so that the mean is
/// x.
FRUGAL_DEVICE std::uint16_t bf16_at_random(float x, std::uint32_t key, std::uint32_t i) {
  const std::uint32_t noise = mix32(key + i * kMixStep) >> 16;
  const std::uint32_t bits = __float_as_uint(x);
  return static_cast<std::uint16_t>((x != x ? bits | 0x400000U : bits + noise) >> 16);
}

/// Dropout: x[i] *= scale if the random number of key and i is at least threshold, else x[i] = 0.
FRUGAL_KERNEL dropout(float* x, std::uint32_t n, std::uint32_t key, std::uint32_t threshold,
                      float scale) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = mix32(key + i * kMixStep) >= threshold ? scale * x[i] : 0;
}

/// y[i] = x[i], rounded stochastically.
FRUGAL_KERNEL to_bf16_at_random(const float* x, std::uint16_t* y, std::uint32_t n,
                                std::uint32_t key) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = bf16_at_random(x[i], key, i);
}

}  // namespace frugal::cuda
