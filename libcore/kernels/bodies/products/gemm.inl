// f32 products on packed panels of B. A block of kRows x kCols sums stays in registers while k
// runs; a strip of A is copied beside it, so that its rows are a constant apart (one address
// register, no collisions in the cache where the rows of A are a power of two apart). After Goto,
// van de Geijn, ACM TOMS 34(3), 2008.
#pragma once
#include "libcore/kernels/bodies/vec.h"
#include "libcore/kernels/gemm_blocks.h"
#include "libcore/kernels/kernels.h"

namespace frugal {
namespace {

// Sums, a row of B and one value of A fill the registers: 32 of them with AVX-512 and on Arm,
// else 16.
#if defined(__AVX512F__)
inline constexpr std::size_t kRows = 12, kVecsPerRow = 2;
#elif defined(__AVX__)
inline constexpr std::size_t kRows = 6, kVecsPerRow = 2;
#elif defined(__aarch64__)
inline constexpr std::size_t kRows = 6, kVecsPerRow = 4;
#else
inline constexpr std::size_t kRows = 4, kVecsPerRow = 2;
#endif
inline constexpr std::size_t kCols = kVecsPerRow * kLanes;
inline constexpr std::size_t kStripStride = kGemmDepth + 16;
/// Vectors of C that a block of R rows computes at a time. One to three rows have too few sums to
/// keep the multipliers busy, so their blocks extend over several panels.
template <std::size_t R>
inline constexpr std::size_t kBlockVecs = R == 1  ? 8
                                          : R < 4 ? 4
                                                  : kVecsPerRow;
/// Size of a block of A [m, depth] from which its rows are fetched one strip ahead, since they no
/// longer stay in the second-level cache.
inline constexpr std::size_t kFetchedSize = 65536;

/// Room for whole vectors of rows, which is how columns of A are transposed.
struct Strip {
  alignas(64) float values[(kRows > kLanes ? kRows : kLanes) * kStripStride];
};

/// A is read by rows or, where it is transposed, by columns: one of its strides is 1.
void copy_strip(const GemmArgs& g, std::size_t row, std::size_t num_rows, std::size_t depth_begin,
                std::size_t depth, Strip& strip) {
  const float* from = g.a + row * g.a_row + depth_begin * g.a_col;
  if (g.a_col != 1) {
    transpose(from, g.a_col, num_rows, depth, strip.values, kStripStride);
    return;
  }
  for (std::size_t r = 0; r < num_rows; ++r) {
    for_each_vec(depth, [&](std::size_t p, auto part) {
      part.store(strip.values + r * kStripStride + p, part.load(from + r * g.a_row + p));
    });
  }
}

/// c = alpha * sum + beta * c; c is not read where beta is 0.
template <class Part>
inline void store_sums(float* c, Vec sums, float alpha, float beta, Part part) {
  const Vec scaled = alpha * sums;
  part.store(c, beta == 0 ? scaled : scaled + beta * part.load(c));
}

/// Stores a row of V vectors likewise, of which `cols` columns exist.
template <std::size_t V>
inline void store_row(float* c, const Vec (&sums)[V], std::size_t cols, float alpha, float beta) {
#pragma GCC unroll 8
  for (std::size_t v = 0; v < V; ++v) {
    if (cols >= (v + 1) * kLanes) {
      store_sums(c + v * kLanes, sums[v], alpha, beta, Full{});
    } else if (cols > v * kLanes) {
      store_sums(c + v * kLanes, sums[v], alpha, beta, First(cols - v * kLanes));
    }
  }
}

/// Whether a strip of R rows, the first to read its part of B, has the processor fetch the columns
/// after those in use. B from beyond the second-level cache, AVX-512, 64 rows, k and n 256 to 513:
/// 155 instead of 135 GFLOP/s in place, 160 instead of 155 packed. Narrower vectors and lower
/// strips, which have less to do meanwhile, lose by it.
template <std::size_t R>
inline constexpr bool kFetchAhead = kLanes == 16 && R > kRows / 2;

/// One block of C of R rows and V vectors, of which `cols` columns exist. ahead: columns of B to
/// fetch if kAhead.
template <std::size_t R, std::size_t V, bool kAhead>
inline void multiply_block(const float* strip, const float* b, const float* ahead,
                           std::size_t depth, const GemmArgs& g, float beta, float* c,
                           std::size_t cols) {
  const std::size_t b_row = g.b_row;
  if (kLanes == 16 || beta != 0) {
    // C from beyond the first-level cache arrives while the sums are made.
#pragma GCC unroll 12
    for (std::size_t r = 0; r < R; ++r) {
      __builtin_prefetch(c + r * g.ldc, 1, 3);
      __builtin_prefetch(c + r * g.ldc + kLanes, 1, 3);
    }
  }
  Vec sums[R][V] = {};
  for (std::size_t p = 0; p < depth; ++p) {
    Vec row[V];
#pragma GCC unroll 8
    for (std::size_t v = 0; v < V; ++v) {
      row[v] =
          load(b + v * kLanes / kPanelColumns * g.b_panel + p * b_row + v * kLanes % kPanelColumns);
    }
    if constexpr (kAhead) {
      __builtin_prefetch(ahead + p * b_row, 0, 2);
      __builtin_prefetch(ahead + p * b_row + kLanes, 0, 2);
    }
#pragma GCC unroll 12
    for (std::size_t r = 0; r < R; ++r) {
      const Vec a = splat(strip[r * kStripStride + p]);
#pragma GCC unroll 8
      for (std::size_t v = 0; v < V; ++v) sums[r][v] += a * row[v];
    }
  }
#pragma GCC unroll 12
  for (std::size_t r = 0; r < R; ++r) store_row(c + r * g.ldc, sums[r], cols, g.alpha, beta);
}

/// The part of the next strip's rows that is fetched while one of `blocks` blocks is multiplied.
inline void fetch_strip(const GemmArgs& g, std::size_t row, std::size_t depth_begin,
                        std::size_t depth, std::size_t block, std::size_t blocks) {
  constexpr std::size_t kLine = 64 / sizeof(float);
  const std::size_t lines = (depth + kLine - 1) / kLine;
  const std::size_t from = lines * block / blocks, to = lines * (block + 1) / blocks;
  const std::size_t end = g.m - row < kRows ? g.m : row + kRows;
  for (; row < end; ++row) {
    const float* a = g.a + row * g.a_row + depth_begin;
    for (std::size_t line = from; line < to; ++line) __builtin_prefetch(a + line * kLine, 0, 2);
  }
}

/// R rows of C from `row` on, columns [begin, end), adding the products of one block of k.
template <std::size_t R, bool kAhead>
void multiply_strip(const GemmArgs& g, const Strip& strip, std::size_t row, std::size_t begin,
                    std::size_t end, std::size_t depth_begin, std::size_t depth) {
  const float beta = depth_begin == 0 ? g.beta : 1;
  const auto columns = [&](std::size_t col) {
    return g.b + col / kPanelColumns * g.b_panel + depth_begin * g.b_row + col % kPanelColumns;
  };
  float* c = g.c + row * g.ldc;
  std::size_t j = begin;
  constexpr std::size_t kWide = kBlockVecs<R> * kLanes;
  if constexpr (kWide > kCols) {
    for (; end - j >= kWide; j += kWide) {
      multiply_block<R, kBlockVecs<R>, false>(strip.values, columns(j), nullptr, depth, g, beta,
                                              c + j, kWide);
    }
  }
  const bool fetch = g.a_col == 1 && g.m * depth >= kFetchedSize;
  const std::size_t blocks = (end - begin + kCols - 1) / kCols;
  for (; j < end; j += kCols) {
    if (fetch) fetch_strip(g, row + R, depth_begin, depth, (j - begin) / kCols, blocks);
    const float* ahead = columns(j + kCols < end ? j + kCols : begin);
    multiply_block<R, kVecsPerRow, kAhead>(strip.values, columns(j), ahead, depth, g, beta, c + j,
                                           end - j);
  }
}

using MultiplyStrip = void (*)(const GemmArgs&, const Strip&, std::size_t, std::size_t, std::size_t,
                               std::size_t, std::size_t);
template <std::size_t... R>
struct StripKernels {
  static constexpr MultiplyStrip table[] = {multiply_strip<R, false>...};
  static constexpr MultiplyStrip first[] = {multiply_strip<R, kFetchAhead<R>>...};
};
/// The kernels for strips of 1 to kRows rows.
template <template <std::size_t...> class StripTable>
#if defined(__AVX512F__)
using OfEachHeight = StripTable<1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12>;
#elif defined(__AVX__) || defined(__aarch64__)
using OfEachHeight = StripTable<1, 2, 3, 4, 5, 6>;
#else
using OfEachHeight = StripTable<1, 2, 3, 4>;
#endif
using Strips = OfEachHeight<StripKernels>;
static_assert(sizeof Strips::table / sizeof Strips::table[0] == kRows);

void gemm_f32(const GemmArgs& g) {
  if (g.m == 0 || g.n == 0) return;
  // Strips of even height: 30 rows are 3 x 10 and not 12 + 12 + 6.
  const std::size_t num_strips = (g.m + kRows - 1) / kRows;
  const std::size_t height = (g.m + num_strips - 1) / num_strips;
  Strip strip;
  for (std::size_t begin = 0; begin < g.n; begin += g.block_columns) {
    const std::size_t end = g.n - begin < g.block_columns ? g.n : begin + g.block_columns;
    std::size_t p = 0;
    do {
      const std::size_t depth = g.k - p < kGemmDepth ? g.k - p : kGemmDepth;
      for (std::size_t row = 0; row < g.m; row += height) {
        const std::size_t num_rows = g.m - row < height ? g.m - row : height;
        copy_strip(g, row, num_rows, p, depth, strip);
        const MultiplyStrip* strips = row == 0 ? Strips::first : Strips::table;
        strips[num_rows - 1](g, strip, row, begin, end, p, depth);
      }
      p += depth;
    } while (p < g.k);
  }
}

void pack_b(const PackArgs& args, float* panels) {
  for (std::size_t begin = 0; begin < args.n; begin += kPanelColumns) {
    const std::size_t cols = args.n - begin < kPanelColumns ? args.n - begin : kPanelColumns;
    float* panel = panels + begin * args.k;
    const float* from = args.b + begin * args.col;
    if (cols < kPanelColumns) {
      for (std::size_t i = 0; i < args.k * kPanelColumns; ++i) panel[i] = 0;
    }
    if (args.col != 1) {
      transpose(from, args.col, args.k, cols, panel, kPanelColumns);
      continue;
    }
    for (std::size_t p = 0; p < args.k; ++p) {
      for_each_vec(cols, [&](std::size_t j, auto part) {
        part.store(panel + p * kPanelColumns + j, part.load(from + p * args.row + j));
      });
    }
  }
}

}  // namespace
}  // namespace frugal
