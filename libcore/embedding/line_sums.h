#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/embedding/parameter_array.h"

namespace frugal {

/// Sums of gradients, indexed by the numbers of an array. Sums are stored in cache lines of 16
/// numbers, in the order in which the lines first occur.
class LineSums {
 public:
  static constexpr std::size_t kLine = 16;  ///< numbers in a line

  LineSums();
  /// Adds x [range.length] to the sums of the numbers in `range`. If x is null, only registers
  /// their lines.
  void add(const float* x, SlotRange range);
  /// Lines so far; line l stands for the numbers [l * kLine, (l + 1) * kLine).
  std::span<const std::uint64_t> lines() const { return lines_; }
  /// Sums of the lines: [lines().size(), kLine].
  std::span<const float> sums() const { return sums_; }
  void clear();

 private:
  static constexpr std::size_t kFirstLines = 1024;

  std::size_t find(std::uint64_t line);
  void grow();

  std::vector<std::uint64_t> lines_;
  std::vector<float> sums_;
  std::vector<std::uint32_t> table_;  ///< hash table from lines to 1 + their index
};

}  // namespace frugal
