#pragma once
#include "tools/sparse-train/tune/tune.h"

namespace frugal {
class Report;
}  // namespace frugal

namespace frugal::sparse {

/// Returns the settings of a trial as text, like "learning-rate=0.1 hidden=31"; "as planned" if the
/// trial changed none of the settings that `train` would choose.
std::string tuned_text(const Settings& settings);

/// Adds the results of a search to a report: the best trial, a plot of scores over CPU time, and a
/// table of all trials with their settings. metric: name of the score.
void add_tune_report(const TuneResult& result, const std::string& metric, Report& report);

}  // namespace frugal::sparse
