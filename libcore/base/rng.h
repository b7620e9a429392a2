#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "libcore/base/hash.h"

namespace frugal {

/// Counter-based random numbers: the i-th draw is a function of (seed, stream, i) alone, so results
/// do not depend on thread count or order. Streams separate uses (a node, a batch, a layer). Not
/// for secrets.
class Rng {
 public:
  explicit constexpr Rng(std::uint64_t seed, std::uint64_t stream = 0, std::uint64_t index = 0)
      : key_(hash_combine(hashed(seed), stream)), index_(index) {}

  /// Key of the draws: at(i) depends only on the key and `i`. A generator on another device draws
  /// equal numbers with the key hash_combine(hashed(seed), stream).
  constexpr std::uint64_t key() const { return key_; }
  static constexpr std::uint64_t hashed(std::uint64_t seed) {
    return mix64(seed + 0x9e3779b97f4a7c15u);
  }

  /// Draw number `index`, 64 bits. It does not depend on earlier draws.
  constexpr std::uint64_t at(std::uint64_t index) const {
    return mix64(mix64(key_ + index * 0x9e3779b97f4a7c15u) ^ key_);
  }
  constexpr std::uint64_t next() { return at(index_++); }

  /// Uniform in [0, n), without bias (Lemire 2019, rejection); n > 0. May use several draws.
  constexpr std::uint64_t below(std::uint64_t n) {
    auto product = static_cast<unsigned __int128>(next()) * n;
    if (static_cast<std::uint64_t>(product) < n) {
      const std::uint64_t threshold = (0 - n) % n;
      while (static_cast<std::uint64_t>(product) < threshold) {
        product = static_cast<unsigned __int128>(next()) * n;
      }
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

  /// Uniform in [0, 1), a multiple of 2^-53.
  constexpr double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  constexpr double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// A standard normal number (Box-Muller; the second number of the pair is not used).
  double normal();

  constexpr std::uint64_t index() const { return index_; }

 private:
  std::uint64_t key_;
  std::uint64_t index_;
};

/// Shuffles values[0, n) (Fisher-Yates); the order depends only on the generator.
template <class T>
void shuffle(T* values, std::uint64_t n, Rng rng) {
  for (std::uint64_t i = n; i > 1; --i) {
    const std::uint64_t j = rng.below(i);
    const T moved = values[i - 1];
    values[i - 1] = values[j];
    values[j] = moved;
  }
}

/// Order of `size` examples in an epoch; each epoch has its own `stream`. By default a random
/// permutation.
///
/// 0 < block < size is for examples in a file larger than memory. Runs of 64 neighbouring examples
/// are distributed at random to blocks of about `block` examples, and each block is shuffled. An
/// epoch then reads the file block by block and each run only once, yet every block is a random
/// sample of the runs.
std::vector<std::uint32_t> epoch_order(std::size_t size, std::size_t block, std::uint64_t seed,
                                       std::uint64_t stream);

/// Builds tables for the alias method (Walker 1977; construction of Vose, IEEE TSE 1991). A draw
/// chooses one of n places with equal probability, and then the place's own outcome or its one
/// alias.
struct AliasBuilder {
  std::vector<double> shares;               ///< probability of each outcome times n
  std::vector<std::uint32_t> small, large;  ///< outcomes whose share is below 1, and the others

  /// Calls set(place, share of its own outcome, its alias) for each place with an alias. Outcomes
  /// left in `small` and `large` fill their own place: their share is 1 up to rounding.
  template <class Set>
  void pair_up(const Set& set) {
    small.clear();
    large.clear();
    for (std::uint32_t i = 0; i < shares.size(); ++i) (shares[i] < 1 ? small : large).push_back(i);
    while (!small.empty() && !large.empty()) {
      const std::uint32_t below = small.back(), above = large.back();
      small.pop_back();
      set(below, shares[below], above);
      shares[above] -= 1 - shares[below];
      if (shares[above] < 1) {
        large.pop_back();
        small.push_back(above);
      }
    }
  }
};

}  // namespace frugal
