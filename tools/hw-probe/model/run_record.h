#pragma once
#include <map>
#include <string>
#include <vector>

namespace frugal::probe {

/// Value of a metric after an epoch.
struct CurvePoint {
  double epoch = 0, value = 0;
};

/// Content of a run's log: options by key, the last values of its lines, and its learning curves.
struct RunRecord {
  std::string path, name;  ///< of the log, and its title
  std::string tool, command;
  std::string cpu;  ///< name of the CPU; "" = unknown
  double threads = 1;
  std::map<std::string, std::vector<std::string>> settings;
  std::map<std::string, double> figures;  ///< by name, e.g. "steps" or "columns" (their number)
  std::map<std::string, std::vector<CurvePoint>> curves;  ///< loss and metrics of the validation
};

/// Number of epochs after which a curve of the run first reached a goal, "validation_auc=0.91" or,
/// shorter, "auc=0.91". A loss reaches it from above, other metrics from below. Fails (usage) on a
/// goal that the run has no curve for, or did not reach: its best value is named, since a curve
/// says nothing of what comes after it.
double epochs_until(const RunRecord& run, const std::string& goal);

}  // namespace frugal::probe
