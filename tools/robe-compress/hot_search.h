#pragma once
#include <cstdint>
#include <vector>

#include "tools/robe-compress/data/click_data.h"
#include "tools/robe-compress/train.h"

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
/// lowest loss. A trial is at most one pass; its loss is the mean over the second half of its
/// samples, each before it was trained on (progressive validation: Blum, Kalai, Langford, COLT
/// 1999), so nothing needs to be held out. Shares that make the same rows hot are tried once.
std::vector<HotTrial> search_hot_share(ClickData& data, const TrainOptions& options,
                                       const RowCounts& counts);

/// Trains embedding and network for one pass of at most 400,000 samples; the mean loss of the
/// second half, each sample before it was trained on. options: resolved.
double progressive_loss(ClickData& data, const TrainOptions& options, Embedding& embedding,
                        Network& network);

}  // namespace frugal
