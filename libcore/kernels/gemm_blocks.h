#pragma once
#include <cstddef>

// Sizes that gemm.cpp and the kernels share. Changing one changes the order of sums, so results by
// rounding.
namespace frugal {

/// k is summed in blocks of this many, each added to C.
inline constexpr std::size_t kGemmDepth = 384;
/// The same for bf16; a multiple of 32.
inline constexpr std::size_t kGemmDepthBf16 = 512;
/// Rows, columns and depth of a bf16 block: two by two tiles.
inline constexpr std::size_t kTileBlock = 32;
/// Pairs in a block's depth; columns of a tile.
inline constexpr std::size_t kPairs = kTileBlock / 2;

}  // namespace frugal
