#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "tools/robe-compress/epoch_search.h"

namespace frugal {

/// A share of the bytes for hot rows that was tried.
struct HotTrial {
  double share = 0;
  std::uint64_t hot_rows = 0;
  double coverage = 0;  ///< share of the look-ups in the training data that meet a hot row
  double loss = 0;      ///< progressive: of samples that the trial had not been trained on yet
  bool chosen = false;
};

/// Tries shares of the bytes for hot rows in short trainings on the data and marks the one with the
/// lowest loss. A trial is at most one pass of 400,000 samples; its loss is the mean over the
/// second half of them, each before it was trained on (progressive validation: Blum, Kalai,
/// Langford, COLT 1999), so nothing needs to be held out. Shares that make the same rows hot are
/// tried once, those that leave no block to share (make fails with usage) not at all. options:
/// resolved; counts: for the coverage.
std::vector<HotTrial> search_hot_share(ClickData& data, const TrainOptions& options,
                                       const RowCounts& counts,
                                       const std::function<TrialModel(double share)>& make);
/// The same with new models as the options say.
std::vector<HotTrial> search_hot_share(ClickData& data, const TrainOptions& options,
                                       const RowCounts& counts);

}  // namespace frugal
