#pragma once
#include <cstddef>
#include <cstdint>

#include "libcore/base/array.h"

namespace frugal::robe {

/// Sums over everything that is stored in each slot of an array, in blocks of consecutive slots:
/// for numbers e with weight w it is sum(w e) / sum(w) that minimises sum(w (e - slot)^2). Only
/// slots [begin, end) are kept, so that an array may be larger than the sums that fit into memory.
class SlotSums {
 public:
  struct Blocks {
    std::size_t length = 1;
    bool some_shorter = false;  ///< add() is also called with fewer numbers
  };
  SlotSums(std::uint64_t begin, std::uint64_t end, Blocks blocks);
  static std::uint64_t bytes_for(std::uint64_t slots, Blocks blocks) {
    return slots * (blocks.some_shorter ? 3 : 2) * sizeof(double);
  }

  std::uint64_t end() const { return end_; }

  /// Number x[i] lies in slot + i, for i < n; slots of others are passed over.
  void add(std::uint64_t slot, double weight, const float* x, std::size_t n);
  /// Asks for the memory that add() of a whole block needs.
  void prefetch(std::uint64_t slot) const;

  /// The best value of each slot to values[end - begin], 0 where nothing lies; returns
  /// sum(value^2 sum(w)): what they explain of sum(w e^2).
  double solve(float* values) const;

 private:
  double solve_piece(std::size_t from, std::size_t to, float* values) const;

  std::uint64_t begin_, end_;
  std::size_t length_;
  std::uint64_t first_start_;  ///< of a block that reaches into [begin, end)
  Array<double> numerators_;
  /// The weight of whole blocks by the slot where they begin: one number a block in place of one
  /// for each of its slots, which is most of the memory that a block touches otherwise.
  Array<double> starts_;
  Array<double> shorter_;  ///< the weight of shorter ones, by slot
};

}  // namespace frugal::robe
