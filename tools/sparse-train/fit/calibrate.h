#pragma once
#include <cstdint>
#include <optional>

#include "tools/sparse-train/data/dataset.h"
#include "tools/sparse-train/fit/plan.h"
#include "tools/sparse-train/fit/quick_training.h"
#include "tools/sparse-train/scoring/decisions.h"

namespace frugal::sparse {

/// Decisions, and what they are worth on the examples that they were made of.
struct CalibrationResult {
  Decisions decisions;
  /// Several labels: those with a score of at least 0.5 are predicted; one: the first.
  Evaluation before;
  Evaluation after;  ///< those that reach their thresholds, or the first; of calibrated scores
};

/// Makes decisions of what a model says of examples that it was not trained on. single_label: no
/// example of the whole data has more than one label. Nothing where both together are too few.
std::optional<CalibrationResult> calibrate(const QuickModel& model, const Dataset& held_out,
                                           bool single_label);

/// Examples to make decisions of: four fifths to train on, at most some 50,000, and others that
/// score the trained model.
struct CalibrationExamples {
  Dataset trained, held_out;
};

/// Copies some of the examples; nothing where they are too few.
std::optional<CalibrationExamples> calibration_examples(const Dataset& data, std::uint64_t seed);

/// Trains the plan, of its trees one, and makes decisions of what this says of the held-out
/// examples. single_label: as above. run.epochs: those of the model that the decisions are for.
/// Nothing once run.stop says so.
std::optional<CalibrationResult> calibrate(const Plan& plan, CalibrationExamples examples,
                                           bool single_label, const QuickRun& run);

/// Whether decisions matter for such data: few enough labels to choose among instead of to rank,
/// and several an example or label trees. Scores of trees are far from shares of right answers;
/// those of a network with one label an example are a distribution as they are.
bool wants_calibration(const DataFacts& facts, bool trees);

}  // namespace frugal::sparse
