#pragma once
#include <string>
#include <utility>
#include <vector>

namespace frugal {

/// Metrics with their names, in the order in which they are shown.
using NamedValues = std::vector<std::pair<std::string, double>>;

/// Name of a metric with the part of the data before it: "test_auc", or "auc" if `part` is "".
std::string metric_name(const std::string& part, const std::string& name);
/// Metrics as text for the end of a line: ", test auc 0.91, test log_loss 0.4".
std::string metrics_text(const std::string& part, const NamedValues& values);

/// Significant digits of a metric in text.
inline constexpr int kMetricDigits = 5;

}  // namespace frugal
