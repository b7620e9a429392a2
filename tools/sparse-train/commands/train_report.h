#pragma once
#include "tools/sparse-train/run/train_result.h"

namespace frugal {
class Report;
class RunLog;
}  // namespace frugal

namespace frugal::sparse {

/// The page of a training run: key figures, what was chosen and why, learning curves from `log`.
void add_train_report(const TrainResult& result, const RunLog& log, Report& report);

}  // namespace frugal::sparse
