#pragma once
#include <cstddef>
#include <cstdint>

namespace frugal {

/// A list whose entries are drawn by their weights, by the alias method (Walker, ACM TOMS 1977;
/// Vose, IEEE TSE 1991). Each place of the list has an entry's share of the place, which is that
/// entry itself, times 2^32, and another entry, which has the rest.
struct AliasList {
  /// [size] the upper 16 bits of the share above the lower 16 bits of the other entry. Nearly all
  /// draws from lists of at most kShort entries need no more.
  const std::uint32_t* high = nullptr;
  /// [size] the lower 16 bits of the share above the upper 16 bits of the other entry.
  const std::uint32_t* low = nullptr;
  std::uint32_t size = 0;

  static constexpr std::uint32_t kShort = 1 << 16;
};

/// Draws from a list. Draw j is at a place in [0, size) by the numbers index + 2 j of the sequence
/// Rng::at() of `key`, and its coin is the next number. A place takes further numbers if one is
/// refused, as Rng::below() does; those of the draws after it are then shifted.
struct AliasTries {
  std::uint64_t key = 0, index = 0;
  std::size_t count = 0;
  // [count]:
  std::uint32_t* places = nullptr;
  std::uint32_t* coins = nullptr;
};

/// Places after the entries that Kernels::take_new_entries() is asked for, which it may write to.
inline constexpr std::size_t kChosenRoom = 16;

namespace {

/// The entry drawn at a place with a coin. The usual case has no branch: either outcome is likely.
inline std::uint32_t alias_entry(const AliasList& list, std::uint32_t place, std::uint32_t coin) {
  const std::uint32_t high = list.high[place], other = high & 0xffff;
  if (list.size > AliasList::kShort || coin >> 16 == high >> 16) [[unlikely]] {
    const std::uint32_t low = list.low[place];
    return coin < ((high & 0xffff0000) | low >> 16) ? place : low << 16 | other;
  }
  const std::uint32_t mask = 0 - static_cast<std::uint32_t>(coin >> 16 < high >> 16);
  return (place & mask) | (other & ~mask);
}

}  // namespace
}  // namespace frugal
