#include "libcore/graph/class_features.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "libcore/base/rng.h"

namespace frugal {
namespace {

constexpr std::uint64_t kCenters = 0x63656e74, kNoise = 0x6e6f6973;  ///< streams
constexpr NodeId kTrials = 4096;

/// Adds standard normal numbers to row: both of a pair of Box and Muller's, from 64 random bits.
void add_noise(std::span<float> row, const Rng& rng) {
  for (std::size_t i = 0; i < row.size(); i += 2) {
    const std::uint64_t draw = rng.at(i / 2);
    const float u = (static_cast<float>(draw >> 40) + 1) * 0x1p-24F;  // (0, 1]: finite logarithm
    const float angle =
        static_cast<float>(draw & 0xffffff) * 0x1p-24F * 2 * std::numbers::pi_v<float>;
    const float radius = std::sqrt(-2 * std::log(u));
    row[i] += radius * std::cos(angle);
    if (i + 1 < row.size()) row[i + 1] += radius * std::sin(angle);
  }
}

}  // namespace

ClassFeatures::ClassFeatures(std::uint64_t classes, std::size_t dim, double separation,
                             std::uint64_t seed)
    : classes_(classes), seed_(seed), dim_(dim), centers_(classes * dim) {
  for (std::uint64_t c = 0; c < classes; ++c) {
    const std::span<float> center{centers_.data() + c * dim, dim};
    add_noise(center, Rng(seed, hash_combine(kCenters, c)));
    double squares = 0;
    for (const float x : center) squares += double{x} * x;
    const auto scale = static_cast<float>(squares > 0 ? separation / std::sqrt(squares) : 0);
    for (float& x : center) x *= scale;
  }
}

void ClassFeatures::fill(NodeId node, std::uint64_t node_class, std::span<float> row) const {
  std::copy_n(centers_.data() + node_class * dim_, dim_, row.data());
  add_noise(row, Rng(seed_, hash_combine(kNoise, node)));
}

std::uint64_t ClassFeatures::nearest(std::span<const float> row) const {
  std::uint64_t best = 0;
  float smallest = INFINITY;
  for (std::uint64_t c = 0; c < classes_; ++c) {
    float distance = 0;
    for (std::size_t i = 0; i < dim_; ++i) {
      const float d = row[i] - centers_[c * dim_ + i];
      distance += d * d;
    }
    if (distance < smallest) {
      smallest = distance;
      best = c;
    }
  }
  return best;
}

double ClassFeatures::best_accuracy() const {
  std::vector<float> row(dim_);
  std::uint64_t right = 0;
  for (NodeId i = 0; i < kTrials; ++i) {
    fill(i, i % classes_, row);
    right += nearest(row) == i % classes_;
  }
  return static_cast<double>(right) / kTrials;
}

}  // namespace frugal
