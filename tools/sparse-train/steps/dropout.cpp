#include "tools/sparse-train/steps/dropout.h"

#include <cmath>

#include "libcore/base/hash.h"
#include "libcore/base/rng.h"

namespace frugal::sparse {
namespace {

constexpr std::uint64_t kDropoutStream = 5;
constexpr double kRange = 65536;

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
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < units.size(); ++i, bits >>= 16) {
    if (i % 4 == 0) bits = rng.next();
    units[i] *= (bits & 0xffff) < threshold_ ? 0.0F : scale_;
  }
}

}  // namespace frugal::sparse
