#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tools/sparse-train/data/dataset.h"

namespace frugal::sparse {

/// Probabilities of labels on held-out examples, counted in steps of a hundredth: what thresholds
/// are chosen by.
class ThresholdCounts {
 public:
  /// training_counts: examples of each label in the training data.
  explicit ThresholdCounts(std::span<const std::uint64_t> training_counts);

  /// A label was ranked with this probability, rightly or not.
  void add(std::uint32_t label, float probability, bool right);
  /// An example has the label, ranked or not.
  void add_actual(std::uint32_t label) { ++actual_[label]; }

  /// With the largest F1 of all labels counted together.
  float best_global() const;
  /// By label: the threshold with the largest F1 of the label's own counts and, as if it had so
  /// many more examples, of the labels with about as many training examples: few counts say
  /// little.
  std::vector<float> best_by_label() const;

 private:
  static constexpr std::size_t kSteps = 100;
  struct Curve {
    double right[kSteps + 1] = {};      ///< from each step on
    double predicted[kSteps + 1] = {};  ///< the same
    double actual = 0;

    void add(const Curve& other, double weight);
    std::size_t best() const;
  };
  Curve curve_of(std::uint32_t label) const;
  std::size_t group_of(std::uint32_t label) const;

  std::span<const std::uint64_t> training_counts_;
  std::vector<std::uint32_t> right_;   ///< [labels, kSteps]
  std::vector<std::uint32_t> ranked_;  ///< [labels, kSteps]
  std::vector<std::uint32_t> actual_;  ///< [labels]
};

/// A label that was ranked for a held-out example.
struct RankedLabel {
  std::uint32_t example = 0;
  std::uint32_t label = 0;
  float probability = 0;
  bool right = false;
};

/// From which probability on labels are predicted.
struct ThresholdChoice {
  float global = 0.5F;          ///< for all labels
  std::vector<float> by_label;  ///< own thresholds, drawn towards the global one
  double shrinkage = 0;         ///< by this share of the way, on a log scale
};

/// Thresholds of labels make the mean of their F1 (macro) larger, and cost F1 of all labels
/// together (micro) where most labels are rare. Cross-validation over the held-out examples chooses
/// the shrinkage: the best mean of both kinds of F1 of those that cost at most kMicroLoss of micro
/// F1 beside the global threshold. ranked: by example, ascending.
inline constexpr double kMicroLoss = 0.003;
ThresholdChoice choose_thresholds(std::span<const RankedLabel> ranked, const Dataset& held_out,
                                  std::span<const std::uint64_t> training_counts);

}  // namespace frugal::sparse
