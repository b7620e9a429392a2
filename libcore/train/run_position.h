#pragma once
#include <cstdint>
#include <string>

#include "libcore/io/tensor_file.h"

namespace frugal {

/// Where a training stands between two steps.
struct RunPosition {
  std::uint64_t step = 0;
  int epoch = 0;              ///< being trained, from 0: as many are done
  std::uint64_t samples = 0;  ///< of this epoch that were trained on
  double loss_sum = 0;        ///< over them
  bool began = false;         ///< it has steps, and is to be finished
  bool complete = false;      ///< nothing is left of this epoch but what follows its last step
  double loss = 0;            ///< mean over the epoch before, 0 in the first
  int validated_epoch = -1;   ///< the last one; 0: the model that the run began with; -1: none
  int best_epoch = 0;         ///< of the validated ones
  double best_score = 0, best_loss = 0;  ///< of its validation (Scores)

  bool has_best() const { return validated_epoch >= 0; }
  /// Mean over this epoch so far, or over the one before where it has not begun.
  double mean_loss() const;

  /// Adds it to the metadata of a checkpoint.
  void save(Document& state) const;
  /// Fails (bad_input) with `path` where something is missing or no number.
  static RunPosition load(const Document& state, const std::string& path);
};

}  // namespace frugal
