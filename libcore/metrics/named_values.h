#pragma once
#include <string>
#include <utility>
#include <vector>

namespace frugal {

/// Metrics by name, in the order in which they are shown.
using NamedValues = std::vector<std::pair<std::string, double>>;

/// What the metrics of a part of the data are called: "test_auc", or "auc" of the part "".
std::string metric_name(const std::string& part, const std::string& name);
/// ", test auc 0.91, test log_loss 0.4" for a line of text.
std::string metrics_text(const std::string& part, const NamedValues& values);

/// Digits of a metric in text.
inline constexpr int kMetricDigits = 5;

}  // namespace frugal
