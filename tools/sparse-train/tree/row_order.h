#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>

namespace frugal::sparse {

// Rows of a tree's node are ordered by the first bits of their feature's hash, then by feature, so
// that rows of a bucket are neighbours and a feature's place can be guessed.

inline constexpr std::uint64_t kRowsPerBucket = 2;

/// Bits of the hash that a node of `rows` rows is ordered by.
inline int directory_bits(std::uint64_t rows) {
  return std::min(24, static_cast<int>(std::bit_width(rows / kRowsPerBucket)));
}

inline std::uint32_t bucket_of(std::uint32_t feature, int bits) {
  return bits == 0 ? 0 : (feature * 0x9e3779b1U) >> (32 - bits);
}

/// Whether feature a's row comes before b's.
inline bool places_before(std::uint32_t a, std::uint32_t b, int bits) {
  const std::uint32_t bucket_a = bucket_of(a, bits);
  const std::uint32_t bucket_b = bucket_of(b, bits);
  return bucket_a != bucket_b ? bucket_a < bucket_b : a < b;
}

}  // namespace frugal::sparse
