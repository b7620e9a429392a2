#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "libcore/report/report.h"

namespace frugal {

/// Fills the empty fields of a summary from keys that all tools share: the result's metrics,
/// seconds and rates, and the configuration's data and architecture.
void complete_summary(const nlohmann::ordered_json& result, const std::string& config,
                      RunSummary& summary);

}  // namespace frugal
