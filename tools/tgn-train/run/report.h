#pragma once
#include <nlohmann/json_fwd.hpp>

#include "tools/tgn-train/labels/training.h"
#include "tools/tgn-train/run/training.h"

namespace frugal {
class Report;
class RunLog;
}  // namespace frugal

namespace frugal::tgn {

/// What `train --json` says of a training.
void add_result(const TrainResult& result, nlohmann::ordered_json& json);

/// Figures of a training for --report: loss and validation over epochs, by its log.
void add_train_report(const TrainResult& result, const RunLog& log, Report& report);

/// The same of a training of labels.
void add_label_report(const LabelTrainResult& result, const RunLog& log, Report& report);

}  // namespace frugal::tgn
