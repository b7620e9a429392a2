#pragma once
#include <string>
#include <vector>

#include "tools/hw-probe/machine/machine.h"

namespace frugal::probe {

/// Looks at the running machine (root "/") or at a recorded one: a folder with parts of its /proc,
/// /sys and /dev, and its environment in ROOT/proc/self/environ.
Machine detect_machine(const std::string& root);

/// "x86_64", "aarch64" or, for a recorded machine that does not tell, "unknown".
std::string find_architecture(const std::string& root);
/// Name of the processor; Arm cores by their part number, boards by their device tree.
std::string find_cpu_model(const std::string& root);
/// The instruction sets of the architecture, lowest first. The running machine is asked through
/// simd_support(); of a recorded one only the flags in /proc/cpuinfo are known.
std::vector<IsaFinding> find_isa(const std::string& root);

}  // namespace frugal::probe
