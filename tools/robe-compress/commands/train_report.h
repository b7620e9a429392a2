#pragma once
#include "libcore/metrics/classification.h"
#include "tools/robe-compress/run/training.h"

namespace frugal {
class Report;
class RunLog;
}  // namespace frugal

namespace frugal::robe {

/// The page of a training run: key figures, what the tables take, learning curves from `log`.
void add_train_report(const TrainResult& result, const RunLog& log, Report& report);

/// The page of an evaluation: key figures, and predicted against observed shares of clicks.
void add_eval_report(const BinaryMetrics& metrics, Report& report);

}  // namespace frugal::robe
