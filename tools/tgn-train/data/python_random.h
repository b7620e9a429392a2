#pragma once
#include <array>
#include <cstdint>
#include <vector>

namespace frugal::tgn {

/// Random numbers of Python's module random, to repeat choices of Python programs: the Mersenne
/// Twister MT19937 (Matsumoto and Nishimura 1998), seeded with an integer.
class PythonRandom {
 public:
  /// random.seed(seed)
  explicit PythonRandom(std::uint64_t seed);
  /// random.getrandbits(bits), 1 to 32.
  std::uint32_t bits(int bits) { return next() >> (32 - bits); }
  /// random.randrange(n), n > 0.
  std::uint32_t below(std::uint32_t n);
  /// random.sample(range(n), k), k <= n: places in a population of n.
  std::vector<std::uint32_t> sample(std::uint32_t n, std::uint32_t k);

 private:
  static constexpr std::size_t kSize = 624;

  std::uint32_t next();
  void refill();

  std::array<std::uint32_t, kSize> state_{};
  std::size_t at_ = kSize;
};

/// A set of positive integers in CPython 3's iteration order: that of the slots of its hash table,
/// which depend on the order of insertions. The order is ascending only if the table has more slots
/// than the largest number.
class PythonSet {
 public:
  PythonSet() : slots_(8) {}
  /// set.add(value), value > 0.
  void add(std::uint32_t value);
  /// set.union(other)
  PythonSet united(const PythonSet& other) const;
  /// list(set)
  std::vector<std::uint32_t> values() const;
  std::size_t size() const { return used_; }

 private:
  std::uint32_t& slot_of(std::uint32_t value);
  void resize(std::size_t least_used);
  void merge(const PythonSet& other);

  std::vector<std::uint32_t> slots_;  ///< 0: free; a power of 2
  std::size_t used_ = 0;
};

}  // namespace frugal::tgn
