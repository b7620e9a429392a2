#pragma once
/// A stable sort of pairs by key on a stream: CUB's radix sort; in tests, the standard library's.
#include <cstddef>
#include <cstdint>

#include "libcore/device/cuda/launcher.h"

namespace frugal::cuda {

/// Keys and values [n], and their destinations.
struct SortedPairs {
  std::uint32_t *keys, *values;  ///< input
  std::uint32_t *sorted_keys, *sorted_values;
  std::uint64_t n;
  int bits = 32;  ///< number of low bits of the keys to compare; fewer are faster
};

/// Bits that distinguish keys below n, and a key of all ones that sorts after them.
inline int key_bits(std::uint64_t n) {
  int bits = 1;
  while (n >> bits != 0) ++bits;
  return bits;
}

/// Bytes of device memory for sorting n pairs; fewer bits need no more.
std::size_t sort_room(std::uint64_t n, int bits = 32);
void sort_pairs(const SortedPairs& p, void* room, std::size_t room_bytes, cudaStream_t stream);

}  // namespace frugal::cuda
