#include "tools/sparse-train/scoring/threshold_choice.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "tools/sparse-train/scoring/label_tally.h"

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

namespace {

constexpr std::uint32_t kThresholdFolds = 5;
/// Shrinkages that are tried: 0 to 1 in so many steps.
constexpr std::size_t kSteps = 8;

double shrinkage_of(std::size_t step) { return static_cast<double>(step) / kSteps; }

float shrunk(float own, float global, double shrinkage) {
  return std::pow(own, static_cast<float>(1 - shrinkage)) *
         std::pow(global, static_cast<float>(shrinkage));
}

struct Thresholds {
  float global = 0;
  std::vector<float> own;
};

class ThresholdSearch {
 public:
  ThresholdSearch(std::span<const RankedLabel> ranked, const Dataset& held_out,
                  std::span<const std::uint64_t> training_counts)
      : ranked_(ranked), held_out_(held_out), training_counts_(training_counts) {}

  ThresholdChoice run() const {
    const Thresholds fitted = fit(kThresholdFolds);
    ThresholdChoice choice{fitted.global, fitted.own, choose_shrinkage()};
    for (float& t : choice.by_label) t = shrunk(t, choice.global, choice.shrinkage);
    return choice;
  }

 private:
  /// On all examples but those of a fold.
  Thresholds fit(std::uint32_t fold) const {
    ThresholdCounts counts(training_counts_);
    for (const RankedLabel& r : ranked_) {
      if (r.example % kThresholdFolds != fold) counts.add(r.label, r.probability, r.right);
    }
    for (std::uint32_t i = 0; i < held_out_.size(); ++i) {
      if (i % kThresholdFolds == fold) continue;
      for (const std::uint32_t l : held_out_.labels_of(i)) {
        if (l < training_counts_.size()) counts.add_actual(l);
      }
    }
    return {counts.best_global(), counts.best_by_label()};
  }

  /// Counts what these thresholds predict of a fold.
  void count(std::uint32_t fold, const Thresholds& fitted, double shrinkage,
             LabelTally& tally) const {
    std::vector<float> thresholds = fitted.own;
    for (float& t : thresholds) t = shrunk(t, fitted.global, shrinkage);
    std::vector<std::uint32_t> predicted;
    std::size_t at = 0;
    for (std::uint32_t i = 0; i < held_out_.size(); ++i) {
      predicted.clear();
      for (; at < ranked_.size() && ranked_[at].example == i; ++at) {
        if (ranked_[at].probability >= thresholds[ranked_[at].label])
          predicted.push_back(ranked_[at].label);
      }
      if (i % kThresholdFolds == fold) tally.add(predicted, held_out_.labels_of(i));
    }
  }

  double choose_shrinkage() const {
    const std::size_t labels = std::max(training_counts_.size(), held_out_.num_all_labels());
    std::vector<LabelTally> tallies(kSteps + 1, LabelTally(labels));
    for (std::uint32_t fold = 0; fold < kThresholdFolds; ++fold) {
      const Thresholds fitted = fit(fold);
      for (std::size_t s = 0; s <= kSteps; ++s) count(fold, fitted, shrinkage_of(s), tallies[s]);
    }
    const double least = tallies[kSteps].total().f1() - kMicroLoss;
    std::size_t best = kSteps;
    double best_mean = -1;
    for (std::size_t s = 0; s <= kSteps; ++s) {
      const double micro = tallies[s].total().f1();
      const double mean = (micro + tallies[s].macro_f1()) / 2;
      if (micro < least || mean <= best_mean) continue;
      best = s;
      best_mean = mean;
    }
    return shrinkage_of(best);
  }

  std::span<const RankedLabel> ranked_;
  const Dataset& held_out_;
  std::span<const std::uint64_t> training_counts_;
};

}  // namespace

ThresholdChoice choose_thresholds(std::span<const RankedLabel> ranked, const Dataset& held_out,
                                  std::span<const std::uint64_t> training_counts) {
  return ThresholdSearch(ranked, held_out, training_counts).run();
}

}  // namespace frugal::sparse
