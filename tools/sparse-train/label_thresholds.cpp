#include "tools/sparse-train/label_thresholds.h"

#include <algorithm>
#include <bit>

namespace frugal::sparse {
namespace {

/// Examples of a label that those of its group stand for.
constexpr double kPrior = 30;
/// A group with fewer held-out examples says as little as its labels.
constexpr double kFewestOfGroup = 20;

}  // namespace

ThresholdCounts::ThresholdCounts(std::span<const std::uint64_t> training_counts)
    : training_counts_(training_counts),
      right_(training_counts.size() * kSteps),
      ranked_(training_counts.size() * kSteps),
      actual_(training_counts.size()) {}

void ThresholdCounts::add(std::uint32_t label, float probability, bool right) {
  const auto step = static_cast<std::size_t>(std::clamp(probability, 0.0F, 1.0F) * kSteps);
  const std::size_t at = label * kSteps + std::min(step, kSteps - 1);
  ++ranked_[at];
  right_[at] += right;
}

ThresholdCounts::Curve ThresholdCounts::curve_of(std::uint32_t label) const {
  Curve curve;
  for (std::size_t step = kSteps; step-- > 0;) {
    curve.right[step] = curve.right[step + 1] + right_[label * kSteps + step];
    curve.predicted[step] = curve.predicted[step + 1] + ranked_[label * kSteps + step];
  }
  curve.actual = actual_[label];
  return curve;
}

void ThresholdCounts::Curve::add(const Curve& other, double weight) {
  for (std::size_t step = 0; step < kSteps; ++step) {
    right[step] += weight * other.right[step];
    predicted[step] += weight * other.predicted[step];
  }
  actual += weight * other.actual;
}

/// Ties: the step nearest to a half.
std::size_t ThresholdCounts::Curve::best() const {
  const auto f1 = [this](std::size_t step) {
    return predicted[step] + actual == 0 ? 0 : 2 * right[step] / (predicted[step] + actual);
  };
  std::size_t best = kSteps / 2;
  for (std::size_t away = 1; away < kSteps / 2; ++away) {
    for (const std::size_t step : {kSteps / 2 - away, kSteps / 2 + away}) {
      if (f1(step) > f1(best)) best = step;
    }
  }
  return best;
}

std::size_t ThresholdCounts::group_of(std::uint32_t label) const {
  return static_cast<std::size_t>(std::bit_width(training_counts_[label]));
}

float ThresholdCounts::best_global() const {
  Curve all;
  for (std::uint32_t l = 0; l < actual_.size(); ++l) all.add(curve_of(l), 1);
  return static_cast<float>(all.best()) / kSteps;
}

std::vector<float> ThresholdCounts::best_by_label() const {
  std::vector<Curve> groups(65);
  Curve all;
  for (std::uint32_t l = 0; l < actual_.size(); ++l) {
    const Curve curve = curve_of(l);
    groups[group_of(l)].add(curve, 1);
    all.add(curve, 1);
  }
  std::vector<float> thresholds;
  for (std::uint32_t l = 0; l < actual_.size(); ++l) {
    const Curve& group = groups[group_of(l)];
    const Curve& prior = group.actual >= kFewestOfGroup ? group : all;
    Curve curve = curve_of(l);
    if (prior.actual > 0) curve.add(prior, kPrior / prior.actual);
    thresholds.push_back(static_cast<float>(curve.best()) / kSteps);
  }
  return thresholds;
}

}  // namespace frugal::sparse
