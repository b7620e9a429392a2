#pragma once
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "libcore/base/rng.h"
#include "libcore/kernels/kernels.h"

namespace frugal {

/// Sizes around every vector width, so that tails and empty arrays are met; 5000 crosses a block of
/// sums.
inline constexpr std::size_t kSizes[] = {0, 1, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 1000, 5000};

/// Calls check(table) for every level that this machine runs.
template <class Check>
void on_every_level(Check check) {
  for (const SimdLevel level : available_simd_levels()) {
    const Kernels& table = *kernels_for(level);
    const std::string name = table.name;
    CAPTURE(name);
    check(table);
  }
}

/// Calls check(table, n) for every level and size.
template <class Check>
void at_every_size(Check check) {
  on_every_level([&](const Kernels& table) {
    for (const std::size_t n : kSizes) {
      CAPTURE(n);
      check(table, n);
    }
  });
}

/// n floats that begin off every vector boundary, between guards that a kernel must leave alone.
class Floats {
 public:
  explicit Floats(std::size_t n, float value = 0) : memory_(n + 2 * kGuard, kGuardValue), n_(n) {
    for (float& x : *this) x = value;
  }
  /// Uniform in [low, high).
  static Floats random(std::size_t n, std::uint64_t seed, double low = -1, double high = 1) {
    Floats x(n);
    Rng rng(seed);
    for (float& v : x) v = static_cast<float>(rng.uniform(low, high));
    return x;
  }
  ~Floats() {
    for (std::size_t i = 0; i < kGuard; ++i) {
      CHECK(memory_[i] == kGuardValue);
      CHECK(memory_[kGuard + n_ + i] == kGuardValue);
    }
  }
  Floats(const Floats&) = default;
  float* data() { return memory_.data() + kGuard; }
  const float* data() const { return memory_.data() + kGuard; }
  std::size_t size() const { return n_; }
  float* begin() { return data(); }
  float* end() { return data() + n_; }
  const float* begin() const { return data(); }
  const float* end() const { return data() + n_; }
  float& operator[](std::size_t i) { return data()[i]; }
  float operator[](std::size_t i) const { return data()[i]; }

 private:
  static constexpr std::size_t kGuard = 17;
  static constexpr float kGuardValue = 12345.678f;
  std::vector<float> memory_;
  std::size_t n_;
};

/// |got - want| <= tolerance * scale; NaN is never close.
inline bool close(double got, double want, double scale, double tolerance = 1e-6) {
  return std::abs(got - want) <= tolerance * scale;
}

}  // namespace frugal
