#pragma once
#include <optional>
#include <string>

#include "tools/sparse-train/data/dataset.h"
#include "tools/sparse-train/model/model.h"
#include "tools/sparse-train/scoring/evaluation.h"
#include "tools/sparse-train/settings/train_options.h"
#include "tools/sparse-train/text/featurizer.h"

namespace frugal::sparse {

/// Input of a training: its data, and the model that it continues, if any.
struct TrainingInput {
  /// --init; without its featurizer, which goes on in `featurizer`.
  std::optional<Model> initial;
  std::string initial_fingerprint;  ///< "" without --init
  std::optional<Featurizer> featurizer;
  bool normalize = true;
  Dataset data;
  Dataset validation;
  LabelCounts label_counts;  ///< of the data and of what the model knows
};

/// Reads all of it. Fails (bad_input) where there are no labels or no features. watched: say what
/// looks wrong with the data; not in a trial of many.
TrainingInput read_training_input(const TrainOptions& options, bool watched);

}  // namespace frugal::sparse
