// bf16 products on AMX tiles. A block of 32 x 32 sums is four tiles (0 to 3); tiles 4 and 5 hold 32
// rows of A, 6 and 7 hold 32 columns of B as pairs, 32 deep. Written with the _tile_* operations
// alone, so that a test can put an emulation in their place.
#pragma once
#include "libcore/kernels/bodies/products/pack_bf16.inl"
#include "libcore/kernels/gemm_blocks.h"
#include "libcore/kernels/kernels.h"

namespace frugal {
namespace {

struct alignas(64) TileConfig {
  std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
  std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

/// One 32 x 32 block of C: `rows` x `cols` of it exist.
struct TileBlock {
  const BFloat16 *a, *b;
  std::size_t a_row, depth;
  float* c;
  std::size_t ldc, rows, cols;
  float alpha, beta;
};

/// sums (32 x 32, rows ld apart) = [sums +] A B; all blocks are summed by this, whole or not.
inline void multiply_tiles(const TileBlock& t, float* sums, std::size_t ld, bool add) {
  const std::size_t bytes = ld * sizeof(float), a_bytes = t.a_row * sizeof(BFloat16);
  float* lower = sums + 16 * ld;
  if (add) {
    _tile_loadd(0, sums, bytes);
    _tile_loadd(1, sums + 16, bytes);
    _tile_loadd(2, lower, bytes);
    _tile_loadd(3, lower + 16, bytes);
  } else {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }
  const BFloat16 *a = t.a, *a_lower = t.a + 16 * t.a_row, *b = t.b;
  for (std::size_t p = 0; p < t.depth; p += kTileBlock, b += kTileBlock * kTileBlock) {
    _tile_loadd(4, a + p, a_bytes);
    _tile_loadd(6, b, 64);
    _tile_loadd(7, b + 512, 64);
    _tile_dpbf16ps(0, 4, 6);
    _tile_loadd(5, a_lower + p, a_bytes);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_stored(0, sums, bytes);
  _tile_stored(1, sums + 16, bytes);
  _tile_stored(2, lower, bytes);
  _tile_stored(3, lower + 16, bytes);
}

void multiply_tile_block(const TileBlock& t) {
  const bool plain = t.alpha == 1 && (t.beta == 0 || t.beta == 1);
  const bool add = plain && t.beta == 1;
  if (plain && t.rows == kTileBlock && t.cols == kTileBlock) {
    multiply_tiles(t, t.c, t.ldc, add);
    return;
  }
  alignas(64) float sums[kTileBlock * kTileBlock] = {};
  for (std::size_t r = 0; add && r < t.rows; ++r) {
    for (std::size_t j = 0; j < t.cols; ++j) sums[r * kTileBlock + j] = t.c[r * t.ldc + j];
  }
  multiply_tiles(t, sums, kTileBlock, add);
  for (std::size_t r = 0; r < t.rows; ++r) {
    const float* from = sums + r * kTileBlock;
    float* to = t.c + r * t.ldc;
    for (std::size_t j = 0; j < t.cols; ++j) {
      const float scaled = t.alpha * from[j];
      to[j] = plain || t.beta == 0 ? scaled : scaled + t.beta * to[j];
    }
  }
}

/// Rows are padded to whole tiles.
void pack_a_bf16(const RoundArgs& args) {
  round_rows(args);
  const auto padded = [](std::size_t n) { return (n + kTileBlock - 1) / kTileBlock * kTileBlock; };
  for (std::size_t i = args.rows; i < padded(args.rows); ++i) {
    BFloat16* row = args.out + i * args.out_row;
    for (std::size_t p = 0; p < padded(args.depth); ++p) row[p] = {};
  }
}

void gemm_bf16(const GemmBf16Args& g) {
  constexpr std::size_t kRowBlock = 256;  // rows of A that stay in the second-level cache: 256 KiB
  const auto at_most = [](std::size_t n, std::size_t limit) { return n < limit ? n : limit; };
  const std::size_t padded_depth = (g.k + kTileBlock - 1) / kTileBlock * kTileBlock;
  const TileConfig config;
  _tile_loadconfig(&config);
  for (std::size_t p = 0; p < padded_depth; p += kGemmDepthBf16) {
    for (std::size_t block = 0; block < g.m; block += kRowBlock) {
      const std::size_t block_end = at_most(g.m, block + kRowBlock);
      for (std::size_t j = 0; j < g.n; j += kTileBlock) {
        for (std::size_t i = block; i < block_end; i += kTileBlock) {
          multiply_tile_block({.a = g.a + i * g.a_row + p,
                               .b = g.b + j / kPanelColumns * g.b_panel + p * kPanelColumns,
                               .a_row = g.a_row,
                               .depth = at_most(padded_depth - p, kGemmDepthBf16),
                               .c = g.c + i * g.ldc + j,
                               .ldc = g.ldc,
                               .rows = at_most(g.m - i, kTileBlock),
                               .cols = at_most(g.n - j, kTileBlock),
                               .alpha = g.alpha,
                               .beta = p == 0 ? g.beta : 1});
        }
      }
    }
  }
  _tile_release();
}

}  // namespace
}  // namespace frugal
