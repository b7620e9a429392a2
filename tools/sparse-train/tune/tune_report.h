#pragma once
#include "tools/sparse-train/tune/tune.h"

namespace frugal {
class Report;
}  // namespace frugal

namespace frugal::sparse {

/// "learning-rate=0.1 hidden=31", or "as planned".
std::string tuned_text(const Settings& settings);

/// The page of a search: the best score over time, all trials with their settings.
void add_tune_report(const TuneResult& result, const std::string& metric, Report& report);

}  // namespace frugal::sparse
