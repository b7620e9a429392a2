#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "libcore/parallel/wire_type.h"

namespace frugal {

/// Sums vectors as Communicator::all_reduce_sum() does those of ranks: neighbours first, then the
/// sums of neighbours. Where ranks, a power of two, have equally many vectors each, another power
/// of two, the sum over all is the same to the bit as that of one rank with all vectors. It holds
/// as many vectors as the binary number of those added has digits.
template <class T>
class TreeSum {
 public:
  /// type: as Communicator::all_reduce_sum() has it; the last sum is not rounded.
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
  /// The sum, `size` zeros where nothing was added. Begins anew.
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
  std::vector<std::vector<T>> parts_;  ///< of falling numbers of vectors
  std::uint64_t count_ = 0;
};

}  // namespace frugal
