#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/embedding/parameter_array.h"

namespace frugal {

/// Sums of gradients by the numbers of an array, a cache line of numbers together. Lines are kept
/// in the order in which they are first met.
class LineSums {
 public:
  static constexpr std::size_t kLine = 16;  ///< numbers in a line

  LineSums();
  /// x: [range.length], is added to the numbers' sums; null: their lines are met, no more.
  void add(const float* x, SlotRange range);
  /// Lines so far: line l has the numbers [l * kLine, (l + 1) * kLine).
  std::span<const std::uint64_t> lines() const { return lines_; }
  /// [lines().size(), kLine].
  std::span<const float> sums() const { return sums_; }
  void clear();

 private:
  static constexpr std::size_t kFirstLines = 1024;

  std::size_t find(std::uint64_t line);
  void grow();

  std::vector<std::uint64_t> lines_;
  std::vector<float> sums_;
  std::vector<std::uint32_t> table_;  ///< a hash table from lines to 1 + their places
};

}  // namespace frugal
