// The operands of bf16 products, rounded: A by rows, B as pairs of rows in blocks of two AMX tiles.
#pragma once
#include "libcore/kernels/bodies/convert.inl"
#include "libcore/kernels/bodies/vec.h"
#include "libcore/kernels/gemm_blocks.h"
#include "libcore/kernels/kernels.h"

namespace frugal {
namespace {

/// even[i] and, above it, odd[i]. Here and below subnormal numbers may become zero, which the
/// products take them for.
inline UVec bf16_pairs(Vec even, Vec odd) {
#if defined(__AVX512BF16__)
  UVec lanes{};  // words i of both halves side by side
  for (std::uint32_t i = 0; i < 16; ++i) lanes[i] = i | (i + 16) << 16;
  const __m512i halves = reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(odd, even));
  return reinterpret_cast<UVec>(_mm512_permutexvar_epi16(reinterpret_cast<__m512i>(lanes), halves));
#else
  return bf16_bits(even) | bf16_bits(odd) << 16;
#endif
}

/// The first n <= 32 numbers as bf16, zeros behind them.
inline void round_block(const float* from, std::size_t n, BFloat16* to) {
#if defined(__AVX512BF16__)
  const __mmask32 mask = n < kTileBlock ? (1u << n) - 1 : ~0u;
  const __m512 low = _mm512_maskz_loadu_ps(static_cast<__mmask16>(mask), from);
  const __m512 high = _mm512_maskz_loadu_ps(static_cast<__mmask16>(mask >> kLanes), from + kLanes);
  _mm512_storeu_si512(to, reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(high, low)));
#else
  to_bf16(from, to, n);
  for (std::size_t i = n; i < kTileBlock; ++i) to[i] = {};
#endif
}

/// Pairs of rows from[q * row ...] and the next, `cols` <= 16 columns of `depth` <= 32 rows; zeros
/// around them: 16 x 16 pairs.
inline void pair_rows(const float* from, std::size_t row, std::size_t depth, std::size_t cols,
                      float* pairs) {
  const auto columns = [&](std::size_t c, std::size_t q) {
    if (q >= depth || c >= cols) return Vec{};
    const float* at = from + q * row + c;
    return cols - c < kLanes ? First(cols - c).load(at) : load(at);
  };
  for (std::size_t q = 0; q < kTileBlock; q += 2, pairs += kPairs) {
    for (std::size_t c = 0; c < kPairs; c += kLanes) {
      store(pairs + c, reinterpret_cast<Vec>(bf16_pairs(columns(c, q), columns(c, q + 1))));
    }
  }
}

/// A as gemm_bf16() reads it, without rows of padding.
void round_rows(const RoundArgs& args) {
  if (args.col == 1) {
    for (std::size_t i = 0; i < args.rows; ++i) {
      for (std::size_t p = 0; p < args.depth; p += kTileBlock) {
        const std::size_t rest = args.depth - p;
        round_block(args.a + i * args.row + p, rest < kTileBlock ? rest : kTileBlock,
                    args.out + i * args.out_row + p);
      }
    }
    return;
  }
  alignas(64) float pairs[kPairs * kPairs];
  for (std::size_t p = 0; p < args.depth; p += kTileBlock) {
    const std::size_t depth = args.depth - p < kTileBlock ? args.depth - p : kTileBlock;
    for (std::size_t i = 0; i < args.rows; i += kPairs) {
      const std::size_t rows = args.rows - i < kPairs ? args.rows - i : kPairs;
      pair_rows(args.a + i + p * args.col, args.col, depth, rows, pairs);
      transpose(pairs, kPairs, rows, kPairs,
                reinterpret_cast<float*>(args.out + i * args.out_row + p), args.out_row / 2);
    }
  }
}

/// One tile of B, rows [p, p + 32) and columns [j, j + 16) of op(B): 16 rows of 16 pairs.
void pack_tile(const PackArgs& args, std::size_t p, std::size_t j, float* tile) {
  const std::size_t depth = args.k - p < kTileBlock ? args.k - p : kTileBlock;
  const std::size_t cols = j >= args.n ? 0 : args.n - j < kPairs ? args.n - j : kPairs;
  const float* from = args.b + p * args.row + j * args.col;
  if (args.col == 1) return pair_rows(from, args.row, depth, cols, tile);
  // Columns of B are contiguous: round each, then transpose its pairs.
  alignas(64) BFloat16 rounded[kPairs * kTileBlock];
  for (std::size_t c = 0; c < kPairs; ++c) {
    round_block(from + c * args.col, c < cols ? depth : 0, rounded + c * kTileBlock);
  }
  transpose(reinterpret_cast<const float*>(rounded), kPairs, kPairs, kPairs, tile, kPairs);
}

void pack_b_bf16(const PackArgs& args, BFloat16* panels) {
  float* tile = reinterpret_cast<float*>(panels);
  for (std::size_t begin = 0; begin < args.n; begin += kPanelColumns) {
    for (std::size_t p = 0; p < args.k; p += kTileBlock) {
      for (std::size_t j = begin; j < begin + kPanelColumns; j += kPairs, tile += kPairs * kPairs) {
        pack_tile(args, p, j, tile);
      }
    }
  }
}

void transpose_blocks(const BFloat16* from, std::size_t step, std::size_t count, BFloat16* to) {
  constexpr std::size_t kTile = kPairs * kPairs;
  for (std::size_t i = 0; i < count; ++i, from += step, to += kTileBlock * kTileBlock) {
    // Rows of B^T side by side: row j is a column of B, 16 pairs.
    alignas(64) float rows[kTileBlock * kPairs];
    for (std::size_t tile = 0; tile < 2; ++tile) {
      transpose(reinterpret_cast<const float*>(from) + tile * kTile, kPairs, kPairs, kPairs,
                rows + tile * kTile, kPairs);
    }
    float* left = reinterpret_cast<float*>(to);
    for (std::size_t q = 0; q < kPairs; ++q) {
      const float *even = rows + 2 * q * kPairs, *odd = even + kPairs;
      for (std::size_t p = 0; p < kPairs; p += kLanes) {
        const UVec a = reinterpret_cast<UVec>(load(even + p));
        const UVec b = reinterpret_cast<UVec>(load(odd + p));
        // Columns 2p and on of B^T's row pair q, those with an even number and the others.
        const Vec first = reinterpret_cast<Vec>((a & 0xffffu) | b << 16);
        const Vec second = reinterpret_cast<Vec>(a >> 16 | (b & 0xffff0000u));
        float* out = left + 2 * p / kPairs * kTile + q * kPairs + 2 * p % kPairs;
        store(out, interleave_low(first, second));
        float* next =
            left + (2 * p + kLanes) / kPairs * kTile + q * kPairs + (2 * p + kLanes) % kPairs;
        store(next, interleave_high(first, second));
      }
    }
  }
}

}  // namespace
}  // namespace frugal
