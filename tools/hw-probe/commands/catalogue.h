#pragma once
#include <string>
#include <vector>

#include "tools/hw-probe/model/cost.h"

namespace frugal::probe {

/// A workload by its name in the catalogue or by a file NAME.yaml. Fails (usage) with file and
/// line, and with the names that there are.
Workload load_workload(const std::string& name);

/// A machine by its name in the catalogue, by a file NAME.yaml or NAME.json, which
/// `hw-probe bench --json` wrote; "this" is measured now.
/// Fails (bad_input) on a measurement that calls itself noisy, unless `allow_noisy`.
MachineSpec load_machine(const std::string& name, int threads, bool allow_noisy);

/// The names of all workloads, or of all machines, in the catalogue, sorted.
std::vector<std::string> catalogue_workloads();
std::vector<std::string> catalogue_machines();
/// The calibration of the catalogue, made by tests/bench/hw-probe/accuracy.py; "" = there is none.
std::string shipped_calibration();
/// The machines of the catalogue and "this", which shells offer.
std::vector<std::string> suggested_machines();

}  // namespace frugal::probe
