#pragma once
#include <array>
#include <cstdint>

namespace frugal {

/// A pseudo-random bijection of [0, size), in both directions, without tables. It multiplies by odd
/// numbers and applies exclusive-or shifts on the next power of two, and repeats until the value is
/// below size (cycle walking: Black and Rogaway, CT-RSA 2002).
class IdPermutation {
 public:
  IdPermutation() = default;  ///< the empty permutation
  IdPermutation(std::uint64_t size, std::uint64_t seed);

  std::uint64_t forward(std::uint64_t x) const {
    do {
      for (const Round& r : rounds_) {
        x = (x * r.factor + r.shift) & mask_;
        x ^= x >> half_;
      }
    } while (x >= size_);
    return x;
  }
  std::uint64_t backward(std::uint64_t x) const {
    do {
      for (std::size_t i = rounds_.size(); i-- > 0;) {
        x ^= x >> half_;  // is its own inverse, because two half shifts move all bits out
        x = (x - rounds_[i].shift) * rounds_[i].inverse & mask_;
      }
    } while (x >= size_);
    return x;
  }
  std::uint64_t size() const { return size_; }

 private:
  struct Round {
    std::uint64_t factor = 1, inverse = 1, shift = 0;
  };
  std::uint64_t size_ = 0, mask_ = 0;
  int half_ = 1;
  std::array<Round, 4> rounds_;
};

}  // namespace frugal
