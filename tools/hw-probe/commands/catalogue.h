#pragma once
#include <string>
#include <vector>

#include "tools/hw-probe/model/cost.h"

namespace frugal::probe {

/// A workload by its name in the catalogue, by a file NAME.yaml or from the log that a training of
/// ours wrote to --metrics. Fails (usage) with file and line, and with the names that there are.
Workload load_workload(const std::string& name);

/// A machine by its name in the catalogue, by a file NAME.yaml or NAME.json, which
/// `hw-probe bench --json` wrote; "this" is measured now.
/// Fails (bad_input) on a measurement that calls itself noisy, unless `allow_noisy`.
MachineSpec load_machine(const std::string& name, int threads, bool allow_noisy);

/// The names of all machines in the catalogue, sorted.
std::vector<std::string> catalogue_machines();

/// Where calibrate writes and advise reads: $XDG_CONFIG_HOME/frugal/calibration.yaml, else
/// ~/.config/frugal/calibration.yaml; "" where neither variable is set.
std::string calibration_file();
/// Fails (usage; cannot_open) with file and line.
Efficiency read_efficiency(const std::string& path);
/// A YAML file with comments that read_efficiency() reads back.
std::string efficiency_text(const Efficiency& efficiency, const std::string& cpu_model);

}  // namespace frugal::probe
