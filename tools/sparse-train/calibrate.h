#pragma once
#include <cstdint>
#include <functional>
#include <optional>

#include "libcore/kernels/gemm.h"
#include "tools/sparse-train/decisions.h"
#include "tools/sparse-train/planner.h"
#include "tools/sparse-train/quick_training.h"

namespace frugal::sparse {

/// Decisions, and what they are worth on the examples that they were made of.
struct CalibrationResult {
  Decisions decisions;
  Evaluation before;  ///< labels with a score of at least 0.5 are predicted
  Evaluation after;   ///< those that reach their thresholds, of calibrated scores
};

/// Makes decisions of what a model says of examples that it was not trained on. Nothing where both
/// together are too few.
std::optional<CalibrationResult> calibrate(const QuickModel& model, const Dataset& held_out);

/// Trains the plan on four fifths of the examples, at most some 50,000, and makes decisions of what
/// this says of others. Nothing where the examples are too few, or once `stop` says so.
std::optional<CalibrationResult> calibrate(const Plan& plan, const Dataset& data,
                                           std::uint64_t seed, Precision precision,
                                           const std::function<bool()>& stop);

/// Whether thresholds matter for such data: several labels an example, and few enough in all to
/// choose among instead of to rank.
bool wants_calibration(const DataFacts& facts);

}  // namespace frugal::sparse
