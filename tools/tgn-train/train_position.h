#pragma once
#include <cstdint>
#include <string>

#include "libcore/io/tensor_file.h"
#include "tools/tgn-train/steps_ahead.h"

namespace frugal::tgn {

/// Where a training stands between two steps: with the model, the optimiser's state, the session
/// and the best epoch all that a checkpoint holds.
struct TrainPosition {
  std::uint64_t step = 0;
  int epoch = 0;  ///< being trained, from 0
  EpochPosition in_epoch;
  double loss_sum = 0;  ///< of the epoch
  std::uint64_t loss_events = 0;
  double loss = 0;  ///< of the last whole epoch

  double mean_loss() const {
    return loss_events == 0 ? 0 : loss_sum / static_cast<double>(loss_events);
  }
  /// Adds it to a checkpoint.
  void save(Document& state) const;
  /// Fails (bad_input) with `path` where something is missing or no number.
  static TrainPosition load(const Document& state, const std::string& path);
};

}  // namespace frugal::tgn
