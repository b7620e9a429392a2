#pragma once
#include "libcore/metrics/result_fields.h"
#include "tools/tgn-train/labels/training.h"
#include "tools/tgn-train/run/training.h"

namespace frugal {
class Report;
class RunLog;
}  // namespace frugal

namespace frugal::tgn {

/// Describes the results of `train`.
void describe_result(const ResultFields& f, const TrainResult& result);

/// Adds the figures of a training to a --report: loss and validation over epochs, from its log.
void add_train_report(const TrainResult& result, const RunLog& log, Report& report);

/// As add_train_report(), for a training of labels.
void add_label_report(const LabelTrainResult& result, const RunLog& log, Report& report);

}  // namespace frugal::tgn
