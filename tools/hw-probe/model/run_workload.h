#pragma once
#include <map>
#include <string>
#include <vector>

#include "tools/hw-probe/model/calibration.h"

namespace frugal::probe {

/// Content of a run's log: options by key, and the last values of its lines.
struct RunRecord {
  std::string name;  ///< name of the log
  std::string tool, command;
  std::map<std::string, std::vector<std::string>> settings;
  std::map<std::string, double> figures;  ///< by name, e.g. "steps" or "columns" (their number)
};

/// Workload of the training that wrote a log. Fails (bad_input) with the log's name if the cost
/// model does not cover it, or a figure is missing.
Workload run_workload(const RunRecord& run);

/// Workload of the training, with the measured time of a step.
MeasuredRun measured_run(const RunRecord& run);

}  // namespace frugal::probe
