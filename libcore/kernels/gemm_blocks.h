#pragma once
#include <cstddef>

// Sizes that gemm.cpp and the kernels share. Changing one changes the order of sums, so results
// change by rounding.
namespace frugal {

/// Numbers of a row of A that are summed before the sum is added to C, in f32.
inline constexpr std::size_t kGemmDepth = 384;
/// Block length of the sums over k in bf16; a multiple of 32.
inline constexpr std::size_t kGemmDepthBf16 = 512;
/// Rows, columns and depth of a bf16 block, which is two by two tiles.
inline constexpr std::size_t kTileBlock = 32;
/// Pairs of rows in a block's depth, and columns of a tile.
inline constexpr std::size_t kPairs = kTileBlock / 2;

}  // namespace frugal
