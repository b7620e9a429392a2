#pragma once
#include <array>
#include <cstddef>

namespace frugal::robe {

/// sum of value(i)^2 for i < n in doubles: several sums side by side, which vector instructions
/// add.
template <class Value>
double sum_of_squares(std::size_t n, const Value& value) {
  constexpr std::size_t kSums = 8;
  std::array<double, kSums> sums{};
  std::size_t i = 0;
  for (; i + kSums <= n; i += kSums) {
    for (std::size_t j = 0; j < kSums; ++j) {
      const double x = value(i + j);
      sums[j] += x * x;
    }
  }
  for (; i < n; ++i) sums[0] += value(i) * value(i);
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

inline double sum_of_squares(const float* x, std::size_t n) {
  return sum_of_squares(n, [x](std::size_t i) { return static_cast<double>(x[i]); });
}

}  // namespace frugal::robe
