#pragma once
#include <nlohmann/json_fwd.hpp>

#include "tools/gnn-sample/train.h"

namespace frugal {
class Report;
}  // namespace frugal

namespace frugal::gnn {

using NamedValues = std::vector<std::pair<std::string, double>>;

/// Puts PART_NAME into a result, or NAME for the part "".
void add_metrics(const NamedValues& values, const std::string& part, nlohmann::ordered_json& json);
/// ", PART NAME VALUE" of each, for a line of text.
std::string metrics_text(const std::string& part, const NamedValues& values);

/// Figures and text of a training for --report.
void add_train_report(const TrainResult& result, const RunLog& log, Report& report);

}  // namespace frugal::gnn
