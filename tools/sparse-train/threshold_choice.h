#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tools/sparse-train/data/dataset.h"

namespace frugal::sparse {

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
