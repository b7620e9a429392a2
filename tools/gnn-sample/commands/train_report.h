#pragma once
#include <nlohmann/json_fwd.hpp>

#include "libcore/metrics/named_values.h"
#include "tools/gnn-sample/run/train.h"

namespace frugal {
class Report;
}  // namespace frugal

namespace frugal::gnn {

/// add_metrics() and, of several labels a node, their accuracy.
void add_task_metrics(const NamedValues& values, const std::string& part,
                      nlohmann::ordered_json& json);

/// Figures and text of a training for --report.
void add_train_report(const TrainResult& result, const RunLog& log, Report& report);

}  // namespace frugal::gnn
