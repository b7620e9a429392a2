// bf16 products without instructions for them: A and B are read as bf16 and multiplied as f32, so
// that weights take half the memory and half its bandwidth. Blocks of sums stay in registers as in
// gemm.inl. A word of B holds two rows of a column, the even one in its lower half.
#pragma once
#include "libcore/kernels/bodies/products/gemm.inl"
#include "libcore/kernels/bodies/products/pack_bf16.inl"

namespace frugal {
namespace {

inline constexpr std::size_t kStoredStride = kGemmDepthBf16 + 16;
/// Columns whose panels, 256 KiB, stay in a second-level cache of 512 KiB.
inline constexpr std::size_t kStoredColumns = 256;

/// Rows of A as f32. Their depth is a multiple of 32, with zeros behind that of A.
struct StoredStrip {
  alignas(64) float values[kRows * kStoredStride];
};

/// A block of C, of which `cols` columns exist, and where its rows of A and of B begin.
struct StoredBlock {
  const float* a;
  const BFloat16* b;
  std::size_t pairs;  ///< of k
  float* c;
  std::size_t cols;
  float beta;
};

/// Words of a row of pairs from `column` on. block: a 32 x 32 block of the first panel.
inline const std::uint8_t* stored_words(const BFloat16* block, std::size_t column,
                                        std::size_t panel) {
  const BFloat16* words = block + column / kPanelColumns * panel +
                          column % kPanelColumns / kPairs * (kTileBlock * kPairs) +
                          column % kPairs * 2;
  return reinterpret_cast<const std::uint8_t*>(words);
}

/// One block of R rows and V vectors of C.
template <std::size_t R, std::size_t V>
inline void multiply_stored(const GemmBf16Args& g, const StoredBlock& t) {
  const std::size_t b_panel = g.b_panel;
  Vec sums[R][V] = {};
  for (std::size_t p = 0; p < t.pairs; p += kPairs) {
    const float* a = t.a + 2 * p;
    const BFloat16* b = t.b + p * 2 * kPanelColumns;
    const std::size_t rest = t.pairs - p, rows = rest < kPairs ? rest : kPairs;
    for (std::size_t q = 0; q < rows; ++q, a += 2, b += kTileBlock) {
#pragma GCC unroll 2
      for (std::size_t odd = 0; odd < 2; ++odd) {
        Vec row[V];
#pragma GCC unroll 8
        for (std::size_t v = 0; v < V; ++v) {
          const UVec words = load_words(stored_words(b, v * kLanes, b_panel));
          row[v] = reinterpret_cast<Vec>(odd == 0 ? words << 16 : words & 0xffff0000U);
        }
#pragma GCC unroll 12
        for (std::size_t r = 0; r < R; ++r) {
          const Vec x = splat(a[r * kStoredStride + odd]);
#pragma GCC unroll 8
          for (std::size_t v = 0; v < V; ++v) {
            sums[r][v] += x * row[v];
            stay_in_register(sums[r][v]);
          }
        }
      }
    }
  }
#pragma GCC unroll 12
  for (std::size_t r = 0; r < R; ++r) {
    store_row(t.c + r * g.ldc, sums[r], t.cols, g.alpha, t.beta);
  }
}

/// Where strips of C begin and end, and their depth.
struct StoredPart {
  std::size_t row, begin, end, depth_begin, depth;
};

template <std::size_t R>
void multiply_stored_strip(const GemmBf16Args& g, const float* strip, const StoredPart& s) {
  const auto block = [&](std::size_t j) {
    const BFloat16* panel = g.b + j / kPanelColumns * g.b_panel + s.depth_begin * kPanelColumns;
    const std::uint8_t* words = stored_words(panel, j % kPanelColumns, g.b_panel);
    return StoredBlock{.a = strip,
                       .b = reinterpret_cast<const BFloat16*>(words),
                       .pairs = (s.depth + 1) / 2,
                       .c = g.c + s.row * g.ldc + j,
                       .cols = s.end - j,
                       .beta = s.depth_begin == 0 ? g.beta : 1};
  };
  std::size_t j = s.begin;
  constexpr std::size_t kWide = kBlockVecs<R> * kLanes;
  if constexpr (kWide > kCols) {
    for (; s.end - j >= kWide; j += kWide) multiply_stored<R, kBlockVecs<R>>(g, block(j));
  }
  for (; j < s.end; j += kCols) multiply_stored<R, kVecsPerRow>(g, block(j));
}

template <std::size_t... R>
struct StoredKernels {
  using Multiply = void (*)(const GemmBf16Args&, const float*, const StoredPart&);
  static constexpr Multiply table[] = {multiply_stored_strip<R>...};
};
using StoredStrips = OfEachHeight<StoredKernels>;

void pack_a_bf16(const RoundArgs& args) { round_rows(args); }

void gemm_bf16(const GemmBf16Args& g) {
  if (g.m == 0) return;
  const auto at_most = [](std::size_t n, std::size_t limit) { return n < limit ? n : limit; };
  const std::size_t num_strips = (g.m + kRows - 1) / kRows;
  const std::size_t height = (g.m + num_strips - 1) / num_strips;
  StoredStrip strip;
  for (std::size_t begin = 0; begin < g.n; begin += kStoredColumns) {
    const std::size_t end = begin + at_most(g.n - begin, kStoredColumns);
    std::size_t p = 0;
    do {
      const std::size_t depth = at_most(g.k - p, kGemmDepthBf16);
      for (std::size_t row = 0; row < g.m; row += height) {
        const std::size_t num_rows = at_most(g.m - row, height);
        for (std::size_t r = 0; r < num_rows; ++r) {
          from_bf16(g.a + (row + r) * g.a_row + p, strip.values + r * kStoredStride,
                    (depth + 1) / 2 * 2);
        }
        StoredStrips::table[num_rows - 1](g, strip.values, {row, begin, end, p, depth});
      }
      p += depth;
    } while (p < g.k);
  }
}

}  // namespace
}  // namespace frugal
