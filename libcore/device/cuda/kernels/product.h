#pragma once
/// Matrix products in tiles of 64 x 64, which a block of threads keeps in registers: in f32, or
/// rounded to bf16 with sums in f32.
#include <cstdint>

#include "libcore/device/cuda/kernels/mma_tile.h"
#include "libcore/device/cuda/launcher.h"

namespace frugal::cuda {

inline constexpr std::uint32_t kTile = 64;   ///< rows and columns of C that a block computes
inline constexpr std::uint32_t kDepth = 16;  ///< terms of the sums in shared memory at a time
/// Threads per side; each computes (kTile / kTileSide)^2 numbers.
inline constexpr std::uint32_t kTileSide = 16;
inline constexpr std::uint32_t kTileThreads = kTileSide * kTileSide;
inline constexpr std::uint32_t kPerThread = kTile / kTileSide;

/// A row-major matrix of f32 or (half) bf16, with rows `stride` numbers apart. ones: a column of
/// ones, which is not stored, follows the last column.
struct Operand {
  const void* data;
  std::uint32_t stride;
  std::uint32_t columns;  ///< stored
  bool ones;
  bool half = false;
};

/// C [m, n] = sum over k of A B (+ beta C), then ReLU or its backward pass. `rows`, on the device,
/// is the actual size of the dimension of samples, whose upper bound is m, or k if A is transposed.
/// `first`, on the device or null for 0, is the first row of A and C to compute; then rows up to
/// `rows`, at most m, are computed. Sums are f32. half: C and the mask are bf16.
struct Product {
  Operand a, b;
  void* c;
  std::uint32_t c_stride;
  bool half;
  std::uint32_t m, n, k;
  const std::uint32_t *first, *rows;
  float beta;
  bool relu;
  const void* mask;            ///< shaped as C, or null: C is zero where it is not above zero
  const float* bias;           ///< f32, if B is bf16 and a library makes the product
  const std::uint32_t* lists;  ///< [rows + 1] or null: row r is zero if lists[r] == lists[r + 1]
  std::uint32_t depth;         ///< terms of a part of the sum
  std::uint64_t part_size;     ///< numbers of C from one part to the next

  FRUGAL_BOTH std::uint32_t row_tiles() const { return (m + kTile - 1) / kTile; }
  FRUGAL_BOTH std::uint32_t column_tiles() const { return (n + kTile - 1) / kTile; }
};

/// Independent products computed by one launch: blocks up to ends[i] compute product i, one part of
/// its sum after another.
template <std::uint32_t kCount>
struct ProductList {
  Product products[kCount];
  std::uint32_t ends[kCount];
};

FRUGAL_DEVICE float number_at(const void* numbers, bool half, std::uint64_t at) {
  return half ? bf16_number(static_cast<const std::uint16_t*>(numbers)[at])
              : static_cast<const float*>(numbers)[at];
}

/// A thread's numbers of a tile of kTile rows (or columns) and kDepthOf terms, on the way from
/// global to shared memory: all loads are issued before the first is waited for. Transposed: stored
/// as [depth, row].
template <bool kTransposed, std::uint32_t kDepthOf, std::uint32_t kThreadsOf>
struct TilePart {
  static constexpr std::uint32_t kOwn = kTile * kDepthOf / kThreadsOf;
  /// Neighbouring threads load neighbouring columns of the stored matrix. A thread loads one
  /// column, in every kLines-th line.
  static constexpr std::uint32_t kColumns = kTransposed ? kTile : kDepthOf;
  static constexpr std::uint32_t kLines = kThreadsOf / kColumns;
  float numbers[kOwn];

  /// Loads from (row, at) on; numbers from `rows` and from `end` on are zero.
  FRUGAL_DEVICE void fetch(const Operand& x, std::uint32_t row, std::uint32_t rows,
                           std::uint32_t at, std::uint32_t end) {
    const std::uint32_t line = (kTransposed ? at : row) + threadIdx.x / kColumns;
    const std::uint32_t column = (kTransposed ? row : at) + threadIdx.x % kColumns;
    const bool is_there = column < (kTransposed ? rows : end);
    const std::uint32_t lines = is_there ? (kTransposed ? end : rows) : 0;
    const std::uint64_t first = static_cast<std::uint64_t>(line) * x.stride + column;
    if (x.ones && column == x.columns) {
      FRUGAL_UNROLL
      for (std::uint32_t o = 0; o < kOwn; ++o) numbers[o] = line + o * kLines < lines ? 1 : 0;
    } else if (x.half) {
      fetch_lines(static_cast<const std::uint16_t*>(x.data) + first, x.stride, line, lines);
    } else {
      fetch_lines(static_cast<const float*>(x.data) + first, x.stride, line, lines);
    }
  }
  /// Calls put(row, depth, number) for each number.
  template <class Put>
  FRUGAL_DEVICE void store(const Put& put) const {
    const std::uint32_t line = threadIdx.x / kColumns, column = threadIdx.x % kColumns;
    FRUGAL_UNROLL
    for (std::uint32_t o = 0; o < kOwn; ++o) {
      const std::uint32_t l = line + o * kLines;
      put(kTransposed ? column : l, kTransposed ? l : column, numbers[o]);
    }
  }

 private:
  static FRUGAL_DEVICE float number(float x) { return x; }
  static FRUGAL_DEVICE float number(std::uint16_t x) { return bf16_number(x); }
  template <class T>
  FRUGAL_DEVICE void fetch_lines(const T* from, std::uint64_t stride, std::uint32_t line,
                                 std::uint32_t lines) {
    FRUGAL_UNROLL
    for (std::uint32_t o = 0; o < kOwn; ++o) {
      numbers[o] = line + o * kLines < lines ? number(from[o * kLines * stride]) : 0;
    }
  }
};

/// Tile and part of the sum that a block of threads computes. block: index among those of its
/// product.
struct TilePlace {
  std::uint32_t m, row, column, part, begin, end;  ///< begin, end: terms of its part of the sum

  FRUGAL_DEVICE TilePlace(const Product& p, std::uint32_t block, bool trans_a)
      : m(trans_a || p.rows == nullptr ? p.m : *p.rows),
        row((p.first == nullptr ? 0 : *p.first) + block % p.row_tiles() * kTile),
        column(block / p.row_tiles() % p.column_tiles() * kTile),
        part(block / p.row_tiles() / p.column_tiles()),
        begin(part * p.depth) {
    const std::uint32_t k = !trans_a || p.rows == nullptr ? p.k : *p.rows;
    end = k < begin + p.depth ? k : begin + p.depth;
  }
};

FRUGAL_DEVICE bool is_masked(const Product& p, std::uint32_t row, std::uint64_t at) {
  return (p.mask != nullptr && !(number_at(p.mask, p.half, at) > 0)) ||
         (p.lists != nullptr && p.lists[row] == p.lists[row + 1]);
}

FRUGAL_DEVICE void finish(const Product& p, const TilePlace& place, std::uint32_t row,
                          std::uint32_t column, float sum) {
  row += place.row;
  column += place.column;
  if (row >= place.m || column >= p.n) return;
  const std::uint64_t at = static_cast<std::uint64_t>(row) * p.c_stride + column;
  const std::uint64_t to = at + place.part * p.part_size;
  if (p.beta != 0) sum = fmaf(p.beta, number_at(p.c, p.half, to), sum);
  if (p.relu && sum < 0) sum = 0;
  if (is_masked(p, row, at)) sum = 0;
  if (p.half) {
    static_cast<std::uint16_t*>(p.c)[to] = rounded_to_bf16(sum);
  } else {
    static_cast<float*>(p.c)[to] = sum;
  }
}

/// Computes a tile in f32. kTransA: A is stored as [k, m]; kTransB: B as [n, k].
template <bool kTransA, bool kTransB>
FRUGAL_DEVICE void multiply_tile(const Product& p, std::uint32_t block) {
  constexpr std::uint32_t kStep = kTile + 1;
  FRUGAL_SHARED(float, a, kDepth* kStep);
  FRUGAL_SHARED(float, b, kDepth* kStep);
  const TilePlace place(p, block, kTransA);
  if (place.row >= place.m) return;  // the whole block
  const std::uint32_t x = threadIdx.x % kTileSide, y = threadIdx.x / kTileSide;
  float sums[kPerThread][kPerThread] = {};
  TilePart<kTransA, kDepth, kTileThreads> of_a;
  TilePart<!kTransB, kDepth, kTileThreads> of_b;
  of_a.fetch(p.a, place.row, place.m, place.begin, place.end);
  of_b.fetch(p.b, place.column, p.n, place.begin, place.end);
  for (std::uint32_t at = place.begin; at < place.end; at += kDepth) {
    of_a.store([&](std::uint32_t r, std::uint32_t d, float z) { a[d * kStep + r] = z; });
    of_b.store([&](std::uint32_t c, std::uint32_t d, float z) { b[d * kStep + c] = z; });
    __syncthreads();
    if (at + kDepth < place.end) {  // they come while these are multiplied
      of_a.fetch(p.a, place.row, place.m, at + kDepth, place.end);
      of_b.fetch(p.b, place.column, p.n, at + kDepth, place.end);
    }
    FRUGAL_UNROLL
    for (std::uint32_t d = 0; d < kDepth; ++d) {
      FRUGAL_UNROLL
      for (std::uint32_t i = 0; i < kPerThread; ++i) {
        FRUGAL_UNROLL
        for (std::uint32_t j = 0; j < kPerThread; ++j) {
          sums[i][j] =
              fmaf(a[d * kStep + y + i * kTileSide], b[d * kStep + x + j * kTileSide], sums[i][j]);
        }
      }
    }
    __syncthreads();
  }
  FRUGAL_UNROLL
  for (std::uint32_t i = 0; i < kPerThread; ++i) {
    FRUGAL_UNROLL
    for (std::uint32_t j = 0; j < kPerThread; ++j) {
      finish(p, place, y + i * kTileSide, x + j * kTileSide, sums[i][j]);
    }
  }
}

inline constexpr std::uint32_t kMmaDepth = 32;     ///< terms of the sums in shared memory at a time
inline constexpr std::uint32_t kMmaThreads = 128;  ///< four warps, each for a quarter of the tile
inline constexpr std::uint32_t kMmaSide = kTile / 2 / kMma;

/// Layout of a tile in shared memory, in the order of global memory; padding avoids bank conflicts.
template <bool kTransposed>
struct MmaPlaces {
  static constexpr std::uint32_t kStep = (kTransposed ? kTile : kMmaDepth) + kMmaAligned;
  static constexpr std::uint32_t kSize = kStep * (kTransposed ? kMmaDepth : kTile);
  static FRUGAL_DEVICE std::uint32_t at(std::uint32_t outer, std::uint32_t depth) {
    return kTransposed ? depth * kStep + outer : outer * kStep + depth;
  }
};

/// Computes a tile with factors rounded to bf16 and sums in f32. Needs sm_80.
template <bool kTransA, bool kTransB>
FRUGAL_DEVICE void multiply_bf16_tile(const Product& p, std::uint32_t block) {
  using InA = MmaPlaces<kTransA>;
  using InB = MmaPlaces<!kTransB>;
  FRUGAL_SHARED(std::uint16_t, a, InA::kSize);
  FRUGAL_SHARED(std::uint16_t, b, InB::kSize);
  const TilePlace place(p, block, kTransA);
  if (place.row >= place.m) return;  // the whole block
  const std::uint32_t warp = threadIdx.x / 32;
  const std::uint32_t y = warp / 2 * (kTile / 2), x = warp % 2 * (kTile / 2);
  MmaTile sums[kMmaSide][kMmaSide];
  for (auto& line : sums) {
    for (MmaTile& tile : line) tile.clear();
  }
  TilePart<kTransA, kMmaDepth, kMmaThreads> of_a;
  TilePart<!kTransB, kMmaDepth, kMmaThreads> of_b;
  of_a.fetch(p.a, place.row, place.m, place.begin, place.end);
  of_b.fetch(p.b, place.column, p.n, place.begin, place.end);
  for (std::uint32_t at = place.begin; at < place.end; at += kMmaDepth) {
    of_a.store(
        [&](std::uint32_t r, std::uint32_t d, float z) { a[InA::at(r, d)] = rounded_to_bf16(z); });
    of_b.store(
        [&](std::uint32_t c, std::uint32_t d, float z) { b[InB::at(c, d)] = rounded_to_bf16(z); });
    __syncthreads();
    if (at + kMmaDepth < place.end) {  // they come while these are multiplied
      of_a.fetch(p.a, place.row, place.m, at + kMmaDepth, place.end);
      of_b.fetch(p.b, place.column, p.n, at + kMmaDepth, place.end);
    }
    FRUGAL_UNROLL
    for (std::uint32_t d = 0; d < kMmaDepth; d += kMma) {
      MmaLeft left[kMmaSide];
      MmaRight right[kMmaSide];
      FRUGAL_UNROLL
      for (std::uint32_t i = 0; i < kMmaSide; ++i) {
        left[i].template load<kTransA>(a + InA::at(y + i * kMma, d), InA::kStep);
        right[i].template load<!kTransB>(b + InB::at(x + i * kMma, d), InB::kStep);
      }
      FRUGAL_UNROLL
      for (std::uint32_t i = 0; i < kMmaSide; ++i) {
        FRUGAL_UNROLL
        for (std::uint32_t j = 0; j < kMmaSide; ++j) sums[i][j].add(left[i], right[j]);
      }
    }
    __syncthreads();
  }
  FRUGAL_UNROLL
  for (std::uint32_t i = 0; i < kMmaSide; ++i) {
    FRUGAL_UNROLL
    for (std::uint32_t j = 0; j < kMmaSide; ++j) {
      sums[i][j].for_each([&](std::uint32_t r, std::uint32_t c, float sum) {
        finish(p, place, y + i * kMma + r, x + j * kMma + c, sum);
      });
    }
  }
}

/// Computes all products of a list, by blocks of kMmaThreads or, in f32, kTileThreads threads.
template <bool kTransA, bool kTransB, bool kBf16, std::uint32_t kCount>
FRUGAL_KERNEL multiply_tiles(const FRUGAL_CONSTANT ProductList<kCount> list) {
  std::uint32_t i = 0;
  while (i + 1 < kCount && blockIdx.x >= list.ends[i]) ++i;
  const Product p = list.products[i];
  const std::uint32_t block = blockIdx.x - (i == 0 ? 0 : list.ends[i - 1]);
  if constexpr (kBf16) {
    multiply_bf16_tile<kTransA, kTransB>(p, block);
  } else {
    multiply_tile<kTransA, kTransB>(p, block);
  }
}

/// Applies the mask to a product that was made without it; p.m rows.
FRUGAL_KERNEL apply_mask(Product p) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= std::uint64_t{p.m} * p.n) return;
  const std::uint64_t at = i / p.n * p.c_stride + i % p.n;
  if (!is_masked(p, static_cast<std::uint32_t>(i / p.n), at)) return;
  if (p.half) {
    static_cast<std::uint16_t*>(p.c)[at] = 0;
  } else {
    static_cast<float*>(p.c)[at] = 0;
  }
}

}  // namespace frugal::cuda
