#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace frugal::sparse {

inline constexpr int kWholeHash = 64;  ///< bits

/// Number of bits of a hash such that one of 250 to 500 unknown hashes matches one of `count`
/// features.
int short_hash_bits(std::size_t count);

/// The highest `bits` of a hash, spread over 64 bits. Different ones stay different.
std::uint64_t short_hash(std::uint64_t hash, int bits);

/// Packs short_hash() values, `bits` of each, consecutively from the lowest bit on.
std::vector<std::uint8_t> pack_hashes(std::span<const std::uint64_t> hashes, int bits);
/// Reverses pack_hashes(). Fails (bad_input) if `bytes` do not hold `count` hashes.
std::vector<std::uint64_t> unpack_hashes(std::span<const std::uint8_t> bytes, std::size_t count,
                                         int bits);

}  // namespace frugal::sparse
