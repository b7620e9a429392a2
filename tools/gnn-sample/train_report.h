#pragma once
#include "tools/gnn-sample/train.h"

namespace frugal {
class Report;
}  // namespace frugal

namespace frugal::gnn {

/// Figures and text of a training for --report.
void add_train_report(const TrainResult& result, const RunLog& log, Report& report);

}  // namespace frugal::gnn
