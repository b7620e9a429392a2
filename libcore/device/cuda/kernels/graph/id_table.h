#pragma once
/// Numbers nodes in the order in which they are met, independently of the order of the threads.
/// Each key keeps the lowest place at which it was met; a prefix sum over first places then numbers
/// the keys.
#include <cstdint>

#include "libcore/device/cuda/kernels/random_bits.h"

namespace frugal::cuda {

/// A hash table with open addressing and more slots than keys. Both arrays must be initialised to
/// all ones.
struct IdTable {
  std::uint64_t* keys;
  std::uint32_t* numbers;
  std::uint32_t mask;  ///< slots - 1, a power of two

  static constexpr std::uint64_t kFree = ~std::uint64_t{0};

  /// Inserts a key and returns its slot, which keeps the lowest number of all insertions of the
  /// key.
  FRUGAL_DEVICE std::uint32_t enter(std::uint64_t key, std::uint32_t number) const {
    for (std::uint32_t at = static_cast<std::uint32_t>(mix64(key)) & mask;; at = (at + 1) & mask) {
      std::uint64_t found = keys[at];
      if (found == kFree) {
        found =
            atomicCAS(reinterpret_cast<unsigned long long*>(keys + at),
                      static_cast<unsigned long long>(kFree), static_cast<unsigned long long>(key));
      }
      if (found != kFree && found != key) continue;
      atomicMin(numbers + at, number);
      return at;
    }
  }
};

}  // namespace frugal::cuda
