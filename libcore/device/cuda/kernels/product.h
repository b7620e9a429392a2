#pragma once
/// Products of matrices in tiles of 64 x 64 that a block of threads keeps in registers: in f32, or
/// of numbers rounded to bf16 with sums in f32.
#include <cstdint>

#include "libcore/device/cuda/kernels/mma_tile.h"
#include "libcore/device/cuda/launcher.h"

namespace frugal::cuda {

inline constexpr std::uint32_t kTile = 64;      ///< rows and columns of C that a block makes
inline constexpr std::uint32_t kDepth = 16;     ///< of the sums that it has in shared memory
inline constexpr std::uint32_t kTileSide = 16;  ///< threads; each has kTile / kTileSide squared
inline constexpr std::uint32_t kPerThread = kTile / kTileSide;

/// A row-major matrix, rows `stride` numbers apart; ones: a column of ones stands behind its last
/// one, which is not stored.
struct Operand {
  const float* data;
  std::uint32_t stride;
  std::uint32_t columns;  ///< stored
  bool ones;
};

/// C[m, n] = sum over k of A B (+ beta C), then ReLU or its backward pass. `rows`, on the device,
/// says how large the dimension is that samples are, and m, or k where A is transposed, how large
/// it may be. `first`, on the device or null for 0, is the first row of A and C that is made: then
/// rows are those up to `rows`, at most m of them.
struct Product {
  Operand a, b;
  float* c;
  std::uint32_t c_stride;
  std::uint32_t m, n, k;
  const std::uint32_t *first, *rows;
  float beta;
  bool relu;
  const float* mask;        ///< as C, or null: zero where it is not above zero
  std::uint32_t depth;      ///< of a part of the sum; blockIdx.z is the part
  std::uint64_t part_size;  ///< numbers of C from part to part
};

template <bool kTransposed>
FRUGAL_DEVICE float element(const Operand& x, std::uint32_t outer, std::uint32_t inner) {
  const std::uint32_t row = kTransposed ? inner : outer, column = kTransposed ? outer : inner;
  if (x.ones && column == x.columns) return 1;
  return x.data[static_cast<std::uint64_t>(row) * x.stride + column];
}

FRUGAL_DEVICE float finished(const Product& p, float sum, std::uint64_t at, const float* c) {
  if (p.beta != 0) sum = fmaf(p.beta, c[at], sum);
  if (p.relu && sum < 0) sum = 0;
  if (p.mask != nullptr && !(p.mask[at] > 0)) sum = 0;
  return sum;
}

/// kTransA: A is stored as [k, m]; kTransB: B as [n, k].
template <bool kTransA, bool kTransB>
FRUGAL_KERNEL multiply_tiles(Product p) {
  FRUGAL_SHARED(float, a, kDepth*(kTile + 1));
  FRUGAL_SHARED(float, b, kDepth*(kTile + 1));
  const std::uint32_t m = kTransA || p.rows == nullptr ? p.m : *p.rows;
  const std::uint32_t k = !kTransA || p.rows == nullptr ? p.k : *p.rows;
  const std::uint32_t row = (p.first == nullptr ? 0 : *p.first) + blockIdx.y * kTile;
  const std::uint32_t column = blockIdx.x * kTile;
  if (row >= m) return;  // the whole block
  const std::uint32_t x = threadIdx.x % kTileSide, y = threadIdx.x / kTileSide;
  float sums[kPerThread][kPerThread] = {};
  const std::uint32_t begin = blockIdx.z * p.depth;
  const std::uint32_t end = k < begin + p.depth ? k : begin + p.depth;
  for (std::uint32_t at = begin; at < end; at += kDepth) {
    for (std::uint32_t i = threadIdx.x; i < kTile * kDepth; i += blockDim.x) {
      // Neighbouring threads read neighbouring numbers.
      const std::uint32_t da = kTransA ? i / kTile : i % kDepth,
                          ra = kTransA ? i % kTile : i / kDepth;
      a[da * (kTile + 1) + ra] =
          row + ra < m && at + da < end ? element<kTransA>(p.a, row + ra, at + da) : 0;
      const std::uint32_t db = kTransB ? i % kDepth : i / kTile,
                          cb = kTransB ? i / kDepth : i % kTile;
      b[db * (kTile + 1) + cb] =
          column + cb < p.n && at + db < end ? element<!kTransB>(p.b, column + cb, at + db) : 0;
    }
    __syncthreads();
    for (std::uint32_t d = 0; d < kDepth; ++d) {
      for (std::uint32_t i = 0; i < kPerThread; ++i) {
        for (std::uint32_t j = 0; j < kPerThread; ++j) {
          sums[i][j] = fmaf(a[d * (kTile + 1) + y + i * kTileSide],
                            b[d * (kTile + 1) + x + j * kTileSide], sums[i][j]);
        }
      }
    }
    __syncthreads();
  }
  float* c = p.c + blockIdx.z * p.part_size;
  for (std::uint32_t i = 0; i < kPerThread; ++i) {
    for (std::uint32_t j = 0; j < kPerThread; ++j) {
      const std::uint32_t r = row + y + i * kTileSide, q = column + x + j * kTileSide;
      if (r >= m || q >= p.n) continue;
      const std::uint64_t at = static_cast<std::uint64_t>(r) * p.c_stride + q;
      c[at] = finished(p, sums[i][j], at, c);
    }
  }
}

inline constexpr std::uint32_t kMmaDepth = 32;     ///< of the sums in shared memory
inline constexpr std::uint32_t kMmaThreads = 128;  ///< four warps, each a quarter of the tile
inline constexpr std::uint32_t kMmaPad = 8;        ///< columns that keep rows out of one bank
inline constexpr std::uint32_t kMmaSide = kTile / 2 / kMma;

/// The same of numbers rounded to bf16. Needs sm_80.
template <bool kTransA, bool kTransB>
FRUGAL_KERNEL multiply_bf16_tiles(Product p) {
  constexpr std::uint32_t kStepA = kMmaDepth + kMmaPad, kStepB = kTile + kMmaPad;
  FRUGAL_SHARED(std::uint16_t, a, kTile * kStepA);
  FRUGAL_SHARED(std::uint16_t, b, kMmaDepth * kStepB);
  FRUGAL_SHARED(float, c_tile, kTile* kTile);
  const std::uint32_t m = kTransA || p.rows == nullptr ? p.m : *p.rows;
  const std::uint32_t k = !kTransA || p.rows == nullptr ? p.k : *p.rows;
  const std::uint32_t row = (p.first == nullptr ? 0 : *p.first) + blockIdx.y * kTile;
  const std::uint32_t column = blockIdx.x * kTile;
  if (row >= m) return;  // the whole block
  const std::uint32_t warp = threadIdx.x / 32;
  const std::uint32_t y = warp / 2 * (kTile / 2), x = warp % 2 * (kTile / 2);
  MmaTile sums[kMmaSide][kMmaSide];
  for (auto& line : sums) {
    for (MmaTile& tile : line) tile.clear();
  }
  const std::uint32_t begin = blockIdx.z * p.depth;
  const std::uint32_t end = k < begin + p.depth ? k : begin + p.depth;
  for (std::uint32_t at = begin; at < end; at += kMmaDepth) {
    for (std::uint32_t i = threadIdx.x; i < kTile * kMmaDepth; i += blockDim.x) {
      const std::uint32_t da = kTransA ? i / kTile : i % kMmaDepth,
                          ra = kTransA ? i % kTile : i / kMmaDepth;
      a[ra * kStepA + da] = rounded_to_bf16(
          row + ra < m && at + da < end ? element<kTransA>(p.a, row + ra, at + da) : 0);
      const std::uint32_t db = kTransB ? i % kMmaDepth : i / kTile,
                          cb = kTransB ? i / kMmaDepth : i % kTile;
      b[db * kStepB + cb] = rounded_to_bf16(
          column + cb < p.n && at + db < end ? element<!kTransB>(p.b, column + cb, at + db) : 0);
    }
    __syncthreads();
    for (std::uint32_t d = 0; d < kMmaDepth; d += kMma) {
      for (std::uint32_t i = 0; i < kMmaSide; ++i) {
        for (std::uint32_t j = 0; j < kMmaSide; ++j) {
          sums[i][j].add(a + (y + i * kMma) * kStepA + d, kStepA, b + d * kStepB + x + j * kMma,
                         kStepB);
        }
      }
    }
    __syncthreads();
  }
  for (std::uint32_t i = 0; i < kMmaSide; ++i) {
    for (std::uint32_t j = 0; j < kMmaSide; ++j) {
      sums[i][j].store(c_tile + (y + i * kMma) * kTile + x + j * kMma, kTile);
    }
  }
  __syncthreads();
  float* c = p.c + blockIdx.z * p.part_size;
  for (std::uint32_t i = threadIdx.x; i < kTile * kTile; i += blockDim.x) {
    const std::uint32_t r = row + i / kTile, q = column + i % kTile;
    if (r >= m || q >= p.n) continue;
    const std::uint64_t at = static_cast<std::uint64_t>(r) * p.c_stride + q;
    c[at] = finished(p, c_tile[i], at, c);
  }
}

/// The mask of a product that was made without it; p.m rows.
FRUGAL_KERNEL apply_mask(Product p) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= std::uint64_t{p.m} * p.n) return;
  const std::uint64_t at = i / p.n * p.c_stride + i % p.n;
  if (!(p.mask[at] > 0)) p.c[at] = 0;
}

}  // namespace frugal::cuda
