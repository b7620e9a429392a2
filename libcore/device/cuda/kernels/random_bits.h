#pragma once
/// Random numbers of libcore/kernels/mix32.h, and what is done with them, to the same bits.
#include <cstdint>

#include "libcore/device/cuda/launcher.h"

namespace frugal::cuda {

inline constexpr std::uint32_t kMixStep = 0x9e3779b9U;

FRUGAL_DEVICE std::uint32_t mix32(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352dU;
  x = (x ^ (x >> 15)) * 0x846ca68bU;
  return x ^ (x >> 16);
}

/// x[i] *= scale where the random number of key and i is at least threshold; else 0.
FRUGAL_KERNEL dropout(float* x, std::uint32_t n, std::uint32_t key, std::uint32_t threshold,
                      float scale) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = mix32(key + i * kMixStep) >= threshold ? scale * x[i] : 0;
}

/// y[i] = x[i] rounded up or down at random, so that its mean is x[i].
FRUGAL_KERNEL to_bf16_at_random(const float* x, std::uint16_t* y, std::uint32_t n,
                                std::uint32_t key) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const std::uint32_t noise = mix32(key + i * kMixStep) >> 16;
  const std::uint32_t bits = __float_as_uint(x[i]);
  y[i] = static_cast<std::uint16_t>((x[i] != x[i] ? bits | 0x400000U : bits + noise) >> 16);
}

}  // namespace frugal::cuda
