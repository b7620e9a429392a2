#pragma once
/// Numbers of nodes by the order in which they are met, whatever the order of the threads: each key
/// keeps the lowest place at which it was met, and a scan over first places counts them.
#include <cstdint>

#include "libcore/device/cuda/kernels/random_bits.h"

namespace frugal::cuda {

/// Open addressing, with slots for more keys than are ever entered. Both arrays begin as all ones.
struct IdTable {
  std::uint64_t* keys;
  std::uint32_t* numbers;
  std::uint32_t mask;  ///< slots - 1, a power of two

  static constexpr std::uint64_t kFree = ~std::uint64_t{0};

  /// The slot of the key, which keeps the lowest number that it was entered with.
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
