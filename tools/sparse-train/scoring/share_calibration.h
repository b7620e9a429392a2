#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tools/sparse-train/data/dataset.h"
#include "tools/sparse-train/scoring/scorer.h"

namespace frugal::sparse {

/// For data with one label an example: the share of a label with score s in [0, 1] goes with
/// s^low / (1 - s)^high, so that the shares of an example's labels sum to 1 in the order of their
/// scores. What is certain to no one keeps a little: `floor` is divided among all labels. As it
/// is, shares go with the scores.
struct ShareCalibration {
  double low = 1;
  double high = 0;
  double floor = 0;

  /// Makes the scores of an example's labels shares. num_labels: how many there are in all.
  void apply(std::span<ScoredLabel> ranked, std::size_t num_labels) const;
};

/// The most likely one for rankings of `k` labels an example, beside a prior that is worth some
/// examples: few say little. training_counts: examples of each label that the scores come from; of
/// a label without any nothing can be learned.
ShareCalibration fit_shares(std::span<const ScoredLabel> best, std::size_t k,
                            const Dataset& held_out,
                            std::span<const std::uint64_t> training_counts);

}  // namespace frugal::sparse
