#include "tools/tgn-train/data/python_random.h"

#include <bit>
#include <cassert>
#include <numeric>
#include <span>
#include <unordered_set>
#include <utility>

namespace frugal::tgn {

PythonRandom::PythonRandom(std::uint64_t seed) {
  const std::uint32_t words[2] = {static_cast<std::uint32_t>(seed),
                                  static_cast<std::uint32_t>(seed >> 32)};
  const std::span<const std::uint32_t> key(words, words[1] != 0 ? 2 : 1);
  const auto mixed = [&](std::size_t i, std::uint32_t factor) {
    const std::uint32_t before = state_[i - 1];
    return (before ^ (before >> 30)) * factor;
  };
  // init_genrand(19650218), then init_by_array(key) of the authors' program.
  state_[0] = 19650218;
  for (std::uint32_t i = 1; i < kSize; ++i) state_[i] = mixed(i, 1812433253) + i;
  std::size_t i = 1, j = 0;
  const auto step = [&] {
    if (++i < kSize) return;
    state_[0] = state_[kSize - 1];
    i = 1;
  };
  for (std::size_t k = 0; k < kSize; ++k) {
    state_[i] = (state_[i] ^ mixed(i, 1664525)) + key[j] + static_cast<std::uint32_t>(j);
    step();
    j = (j + 1) % key.size();
  }
  for (std::size_t k = 0; k + 1 < kSize; ++k) {
    state_[i] = (state_[i] ^ mixed(i, 1566083941)) - static_cast<std::uint32_t>(i);
    step();
  }
  state_[0] = 0x80000000;
}

void PythonRandom::refill() {
  constexpr std::size_t kMiddle = 397;
  for (std::size_t i = 0; i < kSize; ++i) {
    const std::uint32_t joined =
        (state_[i] & 0x80000000U) | (state_[(i + 1) % kSize] & 0x7fffffffU);
    state_[i] = state_[(i + kMiddle) % kSize] ^ (joined >> 1) ^ (joined % 2 * 0x9908b0dfU);
  }
  at_ = 0;
}

std::uint32_t PythonRandom::next() {
  if (at_ == kSize) refill();
  std::uint32_t x = state_[at_++];
  x ^= x >> 11;
  x ^= x << 7 & 0x9d2c5680U;
  x ^= x << 15 & 0xefc60000U;
  return x ^ x >> 18;
}

std::uint32_t PythonRandom::below(std::uint32_t n) {
  assert(n > 0);
  const auto width = static_cast<int>(std::bit_width(n));
  std::uint32_t x = bits(width);
  while (x >= n) x = bits(width);
  return x;
}

std::vector<std::uint32_t> PythonRandom::sample(std::uint32_t n, std::uint32_t k) {
  assert(k <= n);
  // Python compares what a list of all and a set of the drawn would take: 4 to the power of
  // ceil(log4(3 k)) slots.
  std::uint64_t set_size = 1;
  while (set_size < std::uint64_t{k} * 3) set_size *= 4;
  set_size = 21 + (k > 5 ? set_size : 0);
  std::vector<std::uint32_t> drawn(k);
  if (n <= set_size) {
    std::vector<std::uint32_t> pool(n);
    std::iota(pool.begin(), pool.end(), 0U);
    for (std::uint32_t i = 0; i < k; ++i) {
      const std::uint32_t j = below(n - i);
      drawn[i] = pool[j];
      pool[j] = pool[n - i - 1];
    }
    return drawn;
  }
  std::unordered_set<std::uint32_t> seen;
  for (std::uint32_t& place : drawn) {
    do {
      place = below(n);
    } while (!seen.insert(place).second);
  }
  return drawn;
}

/// The slot that has the value, or the free one where it goes: its hash, which is itself, then nine
/// neighbours, then a jump.
std::uint32_t& PythonSet::slot_of(std::uint32_t value) {
  constexpr std::size_t kNeighbors = 9;
  const std::size_t mask = slots_.size() - 1;
  const auto fits = [&](std::size_t i) { return slots_[i] == 0 || slots_[i] == value; };
  std::size_t jump = value;
  for (std::size_t i = value & mask;; i = (i * 5 + 1 + jump) & mask) {
    const std::size_t last = i + kNeighbors <= mask ? i + kNeighbors : i;
    for (std::size_t at = i; at <= last; ++at) {
      if (fits(at)) return slots_[at];
    }
    jump >>= 5;
  }
}

void PythonSet::resize(std::size_t least_used) {
  std::size_t size = 8;
  while (size <= least_used) size *= 2;
  const std::vector<std::uint32_t> before = std::exchange(slots_, std::vector<std::uint32_t>(size));
  for (const std::uint32_t value : before) {
    if (value != 0) slot_of(value) = value;
  }
}

void PythonSet::add(std::uint32_t value) {
  std::uint32_t& slot = slot_of(value);
  if (slot == value) return;
  slot = value;
  ++used_;
  if (used_ * 5 >= (slots_.size() - 1) * 3) resize(used_ > 50000 ? used_ * 2 : used_ * 4);
}

void PythonSet::merge(const PythonSet& other) {
  if (other.used_ == 0) return;
  if ((used_ + other.used_) * 5 >= (slots_.size() - 1) * 3) resize((used_ + other.used_) * 2);
  if (used_ == 0 && slots_.size() == other.slots_.size()) {
    slots_ = other.slots_;
    used_ = other.used_;
    return;
  }
  if (used_ == 0) {  // without a look at how full the table becomes
    for (const std::uint32_t value : other.values()) slot_of(value) = value;
    used_ = other.used_;
    return;
  }
  for (const std::uint32_t value : other.slots_) {
    if (value != 0) add(value);
  }
}

PythonSet PythonSet::united(const PythonSet& other) const {
  PythonSet all;
  all.merge(*this);
  all.merge(other);
  return all;
}

std::vector<std::uint32_t> PythonSet::values() const {
  std::vector<std::uint32_t> values;
  values.reserve(used_);
  for (const std::uint32_t value : slots_) {
    if (value != 0) values.push_back(value);
  }
  return values;
}

}  // namespace frugal::tgn
