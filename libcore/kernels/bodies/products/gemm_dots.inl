// bf16 products with AVX512_BF16, one instruction of which adds the products of two pairs to each
// of 16 sums. Blocks of sums are kept in registers as in gemm.inl; a register of B is a row of a
// packed tile, and A's pairs are broadcast from where they lie.
#pragma once
#include "libcore/kernels/bodies/products/gemm.inl"
#include "libcore/kernels/bodies/products/pack_bf16.inl"

namespace frugal {
namespace {

inline constexpr std::size_t kDotRows = 12;
/// Columns whose panels, 512 KiB, stay in the second-level cache: processors with AVX512_BF16 have
/// 1 MiB or more.
inline constexpr std::size_t kDotColumns = 512;
/// Columns of registers in a block of R rows. Few rows have too few sums to hide the latency of the
/// instruction: 1 x 344 x 172 from the second-level cache, Zen 4: 94 GFLOP/s with 4, 72 with 2.
template <std::size_t R>
inline constexpr std::size_t kDotVecs = R <= 2 ? 4 : 2;

/// Whether the first strip fetches the columns after those in use, as in gemm.inl. From the
/// third-level cache, 4 rows, 688 x 344: 176 instead of 119 GFLOP/s; 12 rows: 180 instead of 149.
template <std::size_t R>
inline constexpr bool kFetchDots = R > 2;

/// A block of C: where A, its rows of B and the columns of B after those in use begin.
struct DotBlock {
  const BFloat16 *a, *b, *ahead;
  std::size_t pairs;  ///< of k
  float* c;
  std::size_t cols;  ///< that exist
  float beta;
};

/// Columns 16 v and on of a block's row of pairs.
inline const BFloat16* pairs_at(const BFloat16* row, std::size_t v, std::size_t b_panel) {
  return row + v / 2 * b_panel + v % 2 * (kTileBlock * kLanes);
}
inline __m512bh load_pairs(const BFloat16* pairs) {
  return reinterpret_cast<__m512bh>(_mm512_loadu_si512(pairs));
}

inline __m512bh splat_pair(const BFloat16* pair) {
  int bits;
  __builtin_memcpy(&bits, pair, sizeof bits);
  return reinterpret_cast<__m512bh>(_mm512_set1_epi32(bits));
}

/// One block of R rows and V registers of columns.
template <std::size_t R, std::size_t V, bool kAhead>
inline void multiply_dots(const GemmBf16Args& g, const DotBlock& t) {
  constexpr std::size_t kTileRow = 2 * kLanes;
  const std::size_t a_row = g.a_row, b_panel = g.b_panel;
#pragma GCC unroll 12
  for (std::size_t r = 0; r < R; ++r) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < V; ++v) __builtin_prefetch(t.c + r * g.ldc + v * kLanes, 1, 3);
  }
  __m512 sums[R][V] = {};
  for (std::size_t p = 0; p < t.pairs; p += kPairs) {
    const BFloat16 *a = t.a + 2 * p, *b = t.b + p * 2 * kPanelColumns;
    [[maybe_unused]] const BFloat16* ahead = t.ahead + p * 2 * kPanelColumns;
    const std::size_t rest = t.pairs - p, rows = rest < kPairs ? rest : kPairs;
    for (std::size_t q = 0; q < rows; ++q) {
      __m512bh row[V];
#pragma GCC unroll 4
      for (std::size_t v = 0; v < V; ++v) {
        row[v] = load_pairs(pairs_at(b + q * kTileRow, v, b_panel));
      }
      if constexpr (kAhead) {
#pragma GCC unroll 4
        for (std::size_t v = 0; v < V; ++v) {
          __builtin_prefetch(pairs_at(ahead + q * kTileRow, v, b_panel), 0, 2);
        }
      }
#pragma GCC unroll 12
      for (std::size_t r = 0; r < R; ++r) {
        const __m512bh pair = splat_pair(a + r * a_row + 2 * q);
#pragma GCC unroll 4
        for (std::size_t v = 0; v < V; ++v) {
          sums[r][v] = _mm512_dpbf16_ps(sums[r][v], pair, row[v]);
        }
      }
    }
  }
#pragma GCC unroll 12
  for (std::size_t r = 0; r < R; ++r) {
    float* to = t.c + r * g.ldc;
#pragma GCC unroll 4
    for (std::size_t v = 0; v + 1 < V; ++v) {
      store_sums(to + v * kLanes, sums[r][v], g.alpha, t.beta, Full{});
    }
    const std::size_t last = t.cols - (V - 1) * kLanes;
    if (last >= kLanes) {
      store_sums(to + (V - 1) * kLanes, sums[r][V - 1], g.alpha, t.beta, Full{});
    } else {
      store_sums(to + (V - 1) * kLanes, sums[r][V - 1], g.alpha, t.beta, First(last));
    }
  }
}

/// As few registers of columns as hold what is left.
template <std::size_t R, std::size_t V, bool kAhead>
inline void multiply_last_dots(const GemmBf16Args& g, const DotBlock& t) {
  if constexpr (V > 1) {
    if (t.cols <= (V - 1) * kLanes) return multiply_last_dots<R, V - 1, kAhead>(g, t);
  }
  multiply_dots<R, V, kAhead>(g, t);
}

/// Where strips of C begin and end, and their depth.
struct DotStrip {
  std::size_t row, begin, end, depth_begin, depth;
};

template <std::size_t R, bool kAhead>
void multiply_dot_strip(const GemmBf16Args& g, const DotStrip& s) {
  constexpr std::size_t kBlock = kDotVecs<R> * kLanes;
  const auto columns = [&](std::size_t col) {
    return g.b + col / kPanelColumns * g.b_panel + s.depth_begin * kPanelColumns;
  };
  for (std::size_t j = s.begin; j < s.end; j += kBlock) {
    const DotBlock block = {.a = g.a + s.row * g.a_row + s.depth_begin,
                            .b = columns(j),
                            .ahead = columns(j + kBlock < s.end ? j + kBlock : s.begin),
                            .pairs = (s.depth + 1) / 2,
                            .c = g.c + s.row * g.ldc + j,
                            .cols = s.end - j,
                            .beta = s.depth_begin == 0 ? g.beta : 1};
    if (block.cols >= kBlock) {
      multiply_dots<R, kDotVecs<R>, kAhead>(g, block);
    } else {
      multiply_last_dots<R, kDotVecs<R>, false>(g, block);
    }
  }
}

template <std::size_t... R>
struct DotKernels {
  using Multiply = void (*)(const GemmBf16Args&, const DotStrip&);
  static constexpr Multiply table[] = {multiply_dot_strip<R, false>...};
  static constexpr Multiply first[] = {multiply_dot_strip<R, kFetchDots<R>>...};
};
using DotStrips = OfEachHeight<DotKernels>;
static_assert(sizeof DotStrips::table / sizeof DotStrips::table[0] == kDotRows);

void pack_a_bf16(const RoundArgs& args) { round_rows(args); }

void gemm_bf16(const GemmBf16Args& g) {
  if (g.m == 0) return;
  const auto at_most = [](std::size_t n, std::size_t limit) { return n < limit ? n : limit; };
  const std::size_t num_strips = (g.m + kDotRows - 1) / kDotRows;
  const std::size_t height = (g.m + num_strips - 1) / num_strips;
  for (std::size_t begin = 0; begin < g.n; begin += kDotColumns) {
    const std::size_t end = begin + at_most(g.n - begin, kDotColumns);
    std::size_t p = 0;
    do {
      const std::size_t depth = at_most(g.k - p, kGemmDepthBf16);
      for (std::size_t row = 0; row < g.m; row += height) {
        const std::size_t num_rows = at_most(g.m - row, height);
        const auto* strips = row == 0 ? DotStrips::first : DotStrips::table;
        strips[num_rows - 1](g, {row, begin, end, p, depth});
      }
      p += depth;
    } while (p < g.k);
  }
}

}  // namespace
}  // namespace frugal
