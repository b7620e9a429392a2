#include "tools/sparse-train/steps/dropout.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/hash.h"
#include "libcore/base/rng.h"

namespace frugal::sparse {
namespace {

constexpr std::uint64_t kDropoutStream = 5;
constexpr double kRange = 65536;
constexpr std::size_t kUnitsPerDraw = 4;  ///< 16 bits each

}  // namespace

Dropout::Dropout(double rate, std::uint64_t seed)
    : threshold_(static_cast<std::uint32_t>(std::lround(rate * kRange))),
      scale_(static_cast<float>(kRange / (kRange - threshold_))),
      seed_(seed) {}

std::uint64_t Dropout::stream(std::uint64_t step, std::size_t layer) {
  return hash_combine(kDropoutStream + layer, step);
}

void Dropout::apply(std::uint64_t step, std::size_t layer, std::uint32_t example,
                    std::span<float> units) const {
  if (!active()) return;
  Rng rng(seed_, hash_combine(stream(step, layer), example));
  const float factors[] = {0, scale_};  // a branch on random bits would be mispredicted
  for (std::size_t i = 0; i < units.size(); i += kUnitsPerDraw) {
    std::uint64_t bits = rng.next();
    const std::size_t end = std::min(units.size(), i + kUnitsPerDraw);
    for (std::size_t j = i; j < end; ++j, bits >>= 16)
      units[j] *= factors[(bits & 0xffff) < threshold_ ? 0 : 1];
  }
}

}  // namespace frugal::sparse
