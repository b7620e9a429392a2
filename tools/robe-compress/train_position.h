#pragma once
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>

#include "libcore/io/tensor_file.h"

namespace frugal::robe {

/// Where a training stands between two steps: with the model and the optimiser's state all that a
/// checkpoint holds.
struct TrainPosition {
  std::uint64_t step = 0;
  int epoch = 0;              ///< being trained, from 0
  std::uint64_t samples = 0;  ///< of the epoch that are trained on
  double loss_sum = 0;        ///< of the epoch
  double positives = 0;       ///< of its samples
  std::uint64_t loss_samples = 0;
  int best_epoch = 0;              ///< counted from 1; 0: the model that the run began with
  double best_loss = HUGE_VAL;     ///< of it, on the validation samples
  std::unique_ptr<Document> best;  ///< that model, where it is not the last
  double hot_share = 0;            ///< that was found
  int epochs = 0;                  ///< that were found good; 0: they were given

  /// Adds it to a checkpoint; the best model's tensors are lent.
  void save(Document& state) const;
  /// Fails (bad_input) with `path` where something is missing or no number.
  static TrainPosition load(const Document& state, const std::string& path);
};

}  // namespace frugal::robe
