#pragma once
#include <cstddef>
#include <cstdint>

#include "libcore/base/array.h"

namespace frugal {

/// Sums over everything that is stored in each slot of an array: for numbers e with weight w it is
/// sum(w e) / sum(w) that minimises sum(w (e - slot)^2). Only slots [begin, end) are kept, so that
/// an array may be larger than the sums that fit into memory.
class SlotSums {
 public:
  SlotSums(std::uint64_t begin, std::uint64_t end);
  static std::uint64_t bytes_for(std::uint64_t slots) { return slots * 2 * sizeof(double); }

  std::uint64_t begin() const { return begin_; }
  std::uint64_t end() const { return end_; }

  /// Number x[i] lies in slot + i, for i < n; slots of others are passed over.
  void add(std::uint64_t slot, double weight, const float* x, std::size_t n) {
    if (slot >= begin_ && slot + n <= end_) return add_inside(slot - begin_, weight, x, n);
    add_clipped(slot, weight, x, n);
  }
  void prefetch(std::uint64_t slot, std::size_t n) const;

  /// The best value of each slot to values[end - begin], 0 where nothing lies; returns
  /// sum(value^2 sum(w)): what they explain of sum(w e^2).
  double solve(float* values) const;

 private:
  void add_inside(std::size_t at, double weight, const float* x, std::size_t n) {
    double* const numerator = numerators_.data() + at;
    double* const denominator = denominators_.data() + at;
    for (std::size_t i = 0; i < n; ++i) numerator[i] += weight * static_cast<double>(x[i]);
    for (std::size_t i = 0; i < n; ++i) denominator[i] += weight;
  }
  void add_clipped(std::uint64_t slot, double weight, const float* x, std::size_t n);

  std::uint64_t begin_, end_;
  Array<double> numerators_, denominators_;
};

}  // namespace frugal
