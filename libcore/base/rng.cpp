#include "libcore/base/rng.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "libcore/base/hash.h"

namespace frugal {
namespace {

constexpr std::size_t kRun = 64;

std::vector<std::uint32_t> permutation(std::size_t size, Rng rng) {
  std::vector<std::uint32_t> order(size);
  std::iota(order.begin(), order.end(), 0U);
  shuffle(order.data(), size, rng);
  return order;
}

}  // namespace

std::vector<std::uint32_t> epoch_order(std::size_t size, std::size_t block, std::uint64_t seed,
                                       std::uint64_t stream) {
  if (block == 0 || block >= size) return permutation(size, Rng(seed, stream));
  std::vector<std::uint32_t> order;
  order.reserve(size);
  for (const std::uint32_t run : permutation((size + kRun - 1) / kRun, Rng(seed, stream))) {
    const std::size_t end = std::min<std::size_t>(size, (run + std::size_t{1}) * kRun);
    for (std::size_t i = run * kRun; i < end; ++i) order.push_back(static_cast<std::uint32_t>(i));
  }
  for (std::size_t begin = 0; begin < size; begin += block) {
    const std::size_t end = std::min(size, begin + block);
    shuffle(order.data() + begin, end - begin, Rng(seed, hash_combine(stream, begin + 1)));
  }
  return order;
}

double Rng::normal() {
  const double u = 1.0 - uniform();  // (0, 1]: the logarithm is finite
  const double v = uniform();
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
}

}  // namespace frugal
