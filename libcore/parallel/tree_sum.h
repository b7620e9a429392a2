#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "libcore/parallel/wire_type.h"

namespace frugal {

/// Sums vectors in the same tree as Communicator::all_reduce_sum(): neighbours first, then sums of
/// neighbours. If the number of ranks is a power of two and each has equally many vectors, again a
/// power of two, the total is bitwise equal to that of one rank with all vectors. With five
/// vectors:
///
///     v1   v2   v3   v4   v5
///      \  /      \  /      |
///      s12       s34       |
///         \     /          |
///          s1234           |      take(): s1234 + v5
///
/// It stores at most one partial sum per binary digit of the number of vectors.
template <class T>
class TreeSum {
 public:
  /// type: number type to which both operands of every addition are rounded, as in
  /// all_reduce_sum(). The total is not rounded.
  explicit TreeSum(WireType type = WireType::f32) : type_(type) {}

  void add(std::vector<T> vector) {
    for (std::uint64_t n = count_++; (n & 1) != 0; n >>= 1) {
      add_to(vector, parts_.back());
      vector = std::move(parts_.back());
      parts_.pop_back();
    }
    parts_.push_back(std::move(vector));
  }
  std::uint64_t count() const { return count_; }
  /// Returns the sum, or `size` zeros if no vector was added, and clears it for the next sum.
  std::vector<T> take(std::size_t size) {
    std::vector<T> total = parts_.empty() ? std::vector<T>(size) : std::move(parts_.back());
    while (parts_.size() > 1) {
      parts_.pop_back();
      add_to(total, parts_.back());
      total = std::move(parts_.back());
    }
    parts_.clear();
    count_ = 0;
    return total;
  }

 private:
  void add_to(std::vector<T>& from, std::vector<T>& to) const {
    round_to(type_, from);
    round_to(type_, to);
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
  }

  WireType type_;
  std::vector<std::vector<T>> parts_;  ///< partial sums of ever fewer vectors
  std::uint64_t count_ = 0;
};

}  // namespace frugal
