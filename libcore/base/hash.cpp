#include "libcore/base/hash.h"

#include <algorithm>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace frugal {

std::uint64_t hash_bytes(const void* data, std::size_t size, std::uint64_t seed) {
  return XXH3_64bits_withSeed(data, size, seed);
}

std::uint64_t hash_end_bytes(std::span<const std::byte> bytes, std::uint64_t seed) {
  constexpr std::size_t kEnd = std::size_t{1} << 20;
  const std::size_t n = std::min(bytes.size(), kEnd);
  const std::uint64_t begin = hash_bytes(bytes.data(), n, seed + bytes.size());
  return hash_bytes(bytes.data() + bytes.size() - n, n, begin);
}

}  // namespace frugal
