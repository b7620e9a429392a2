#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tools/sparse-train/data/dataset.h"
#include "tools/sparse-train/fit/quick_training.h"
#include "tools/sparse-train/search/text_candidate.h"

namespace frugal::sparse {

/// A candidate as it did on examples that were held out of the training data.
struct TextTrial {
  TextCandidate candidate;
  double score = 0;            ///< P@1
  std::uint64_t examples = 0;  ///< held out and scored
  double cpu_seconds = 0;      ///< of all its trainings
  bool given_up = false;       ///< far behind during its first epochs: scored as it was then
};

/// The model of a candidate's first fold, and the examples that were held out of it.
struct TrialModel {
  QuickModel model;
  Dataset held_out;
};

struct TextChoice {
  std::vector<TextTrial> trials;  ///< in the order of time
  std::size_t best = 0;           ///< of them
  std::uint64_t examples = 0;     ///< of the training data, or of the sample that was taken of them
  bool sampled = false;
  bool cut_short = false;  ///< stopped before all was tried
  /// Model of the best trial if a calibration can use it (keeps_trial()). Not in checkpoints.
  std::shared_ptr<const TrialModel> trained;
};

}  // namespace frugal::sparse
