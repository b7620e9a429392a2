#pragma once
#include <cstdint>

namespace frugal {

/// The smallest size of a geometric ladder that is at least n. The ladder has every number up to 2
/// steps, then `steps` sizes between a power of two and the next. One shape per size class, instead
/// of per batch, keeps compiled programs and CUDA graphs few; padding takes less than 1 / steps of
/// n. n must be below 2^62 / steps. C++17, for plug-ins.
constexpr std::uint64_t size_class(std::uint64_t n, std::uint64_t steps) {
  std::uint64_t step = 1;
  while (2 * steps * step < n) step *= 2;
  return (n + step - 1) / step * step;
}

}  // namespace frugal
