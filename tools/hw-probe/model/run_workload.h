#pragma once
#include <map>
#include <string>
#include <vector>

#include "tools/hw-probe/model/calibration.h"

namespace frugal::probe {

/// What the log of a run holds: options by key, and the last numbers and words of its lines.
struct RunRecord {
  std::string name;  ///< of the log
  std::string tool, command;
  std::map<std::string, std::vector<std::string>> settings;
  std::map<std::string, double> figures;  ///< "steps"; "columns": how many there are
};

/// The training that made a log, as the model sees it. Fails (bad_input) with the log's name where
/// it is none that the model knows, or lacks a figure.
Workload run_workload(const RunRecord& run);

/// The same with the time that a step took.
MeasuredRun measured_run(const RunRecord& run);

}  // namespace frugal::probe
