#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "libcore/report/report.h"

namespace frugal {

/// Fills in what a summary lacks from what all tools name alike: the metrics of a result, its
/// seconds and what it did a second, and of the configuration the data and the architecture.
void complete_summary(const nlohmann::ordered_json& result, const std::string& config,
                      RunSummary& summary);

}  // namespace frugal
