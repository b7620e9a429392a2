#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/robe-compress/search/epoch_search.h"

namespace frugal::robe {

/// A share of the bytes for hot rows that was tried.
struct HotTrial {
  double share = 0;
  std::uint64_t hot_rows = 0;
  double coverage = 0;  ///< share of the look-ups in the training data that meet a hot row
  double loss = 0;      ///< on samples held back
  PairedGain gain;      ///< over a share of 0, on the same samples
  std::vector<EpochTrial> epochs;
  bool chosen = false;

  /// A line for people.
  std::string text() const;
};

/// Tries shares of the bytes for hot rows in trainings (run_trial(), epochs of 400,000 samples at
/// most) and marks the one with the lowest loss, but 0 unless the gain over it is beyond chance
/// (PairedGain). Shares that make the same rows hot are tried once, those that leave no block to
/// share (make fails with usage) not at all. Nothing is tried where too few samples can be held
/// back. options: resolved; counts: for the coverage; make: a BlockEmbedding and its network.
std::vector<HotTrial> search_hot_share(ClickData& data, const TrainOptions& options,
                                       const RowCounts& counts,
                                       const std::function<TrialModel(double share)>& make,
                                       const std::function<bool()>& stop);

}  // namespace frugal::robe
