#include "tools/sparse-train/threshold_choice.h"

#include <algorithm>
#include <cmath>

#include "tools/sparse-train/label_tally.h"
#include "tools/sparse-train/label_thresholds.h"

namespace frugal::sparse {
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
      for (const std::uint32_t l : held_out_.labels_of(i)) counts.add_actual(l);
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
    std::vector<LabelTally> tallies(kSteps + 1, LabelTally(training_counts_.size()));
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
