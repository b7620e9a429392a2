#pragma once
/// Division of rows among threads: one warp per row, whose lanes share the columns.
#include <cstdint>

#include "libcore/device/cuda/launcher.h"

namespace frugal::cuda {

inline constexpr std::uint32_t kLanes = 32;
inline constexpr std::uint32_t kRowsPerBlock = 4;
inline constexpr std::uint32_t kNoRow = 0xffffffffU;

/// Grid of blocks of kRowsPerBlock warps, with one warp for each of n rows.
inline dim3 grid_of_rows(std::uint64_t n) {
  return dim3(static_cast<unsigned>(n == 0 ? 1 : (n + kRowsPerBlock - 1) / kRowsPerBlock));
}
/// Grid with one block for each of n rows, whose threads share the columns.
inline dim3 grid_of_blocks(std::uint64_t n) { return dim3(static_cast<unsigned>(n)); }
inline dim3 block_of_rows() { return dim3(kLanes * kRowsPerBlock); }

FRUGAL_DEVICE std::uint32_t own_row() { return blockIdx.x * kRowsPerBlock + threadIdx.x / kLanes; }
FRUGAL_DEVICE std::uint32_t own_warp() { return threadIdx.x / kLanes; }
FRUGAL_DEVICE std::uint32_t own_lane() { return threadIdx.x % kLanes; }

/// Sum of x over the warp, equal in all lanes. All lanes must call it.
FRUGAL_DEVICE float warp_sum(float x) {
  for (int with = kLanes / 2; with != 0; with /= 2) x += __shfl_xor_sync(0xffffffffU, x, with);
  return x;
}
FRUGAL_DEVICE float warp_most(float x) {
  for (int with = kLanes / 2; with != 0; with /= 2) {
    const float other = __shfl_xor_sync(0xffffffffU, x, with);
    if (other > x) x = other;
  }
  return x;
}

/// Read-only rows of f32 or bf16.
struct StoredRows {
  const void* data;
  std::uint32_t dim;
  bool half;  ///< bf16, else f32

  FRUGAL_DEVICE float at(std::uint64_t row, std::uint32_t column) const {
    const std::uint64_t i = row * dim + column;
    if (!half) return static_cast<const float*>(data)[i];
    return __uint_as_float(std::uint32_t{static_cast<const std::uint16_t*>(data)[i]} << 16);
  }
};

}  // namespace frugal::cuda
