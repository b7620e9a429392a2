#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace frugal {

/// A bijection of 64-bit words whose output bits each depend on all input bits (the finaliser of
/// SplitMix64: Steele, Lea, Flood, OOPSLA 2014, variant 13 of Stafford's constants).
constexpr std::uint64_t mix64(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// Combines two hashes; the result depends on their order.
constexpr std::uint64_t hash_combine(std::uint64_t a, std::uint64_t b) {
  return mix64(a + 0x9e3779b97f4a7c15u + b * 0xff51afd7ed558ccdu);
}

/// Maps a 64-bit hash to [0, n) without division (Lemire 2016); n > 0.
constexpr std::uint64_t hash_to_range(std::uint64_t hash, std::uint64_t n) {
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(hash) * n >> 64);
}

/// XXH3 of bytes, equal on every machine.
std::uint64_t hash_bytes(const void* data, std::size_t size, std::uint64_t seed = 0);
inline std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t seed = 0) {
  return hash_bytes(bytes.data(), bytes.size(), seed);
}

}  // namespace frugal
