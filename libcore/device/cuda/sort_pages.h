#pragma once
/// A stable sort of pairs by their key, on a stream: CUB's radix sort; for tests, the library's.
#include <cstddef>
#include <cstdint>

#include "libcore/device/cuda/launcher.h"

namespace frugal::cuda {

/// Keys and values [n], and where they go.
struct SortedPairs {
  std::uint32_t *keys, *values;  ///< to be sorted
  std::uint32_t *sorted_keys, *sorted_values;
  std::uint64_t n;
  int bits = 32;  ///< of the keys, from the lowest on, that tell them apart: fewer take less time
};

/// Bits that tell keys below n, and one of all ones behind them, apart.
inline int key_bits(std::uint64_t n) {
  int bits = 1;
  while (n >> bits != 0) ++bits;
  return bits;
}

/// Bytes of the device that sorting n pairs needs; fewer bits need no more.
std::size_t sort_room(std::uint64_t n, int bits = 32);
void sort_pairs(const SortedPairs& p, void* room, std::size_t room_bytes, cudaStream_t stream);

}  // namespace frugal::cuda
