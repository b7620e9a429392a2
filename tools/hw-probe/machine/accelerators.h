#pragma once
#include <string>
#include <vector>

#include "tools/hw-probe/machine/environment.h"
#include "tools/hw-probe/machine/machine.h"

namespace frugal::probe {

/// Asks the CUDA driver and NVML, loaded at run time, and appends what they say to the finding.
void ask_cuda_driver(AcceleratorFinding* finding);

/// CUDA, ROCm and IPU: every signal one by one, the devices that answered, and whether the tools
/// can use them. On a recorded machine no driver can be asked, so nothing is usable there.
std::vector<AcceleratorFinding> find_accelerators(const std::string& root,
                                                  const Environment& environment);

}  // namespace frugal::probe
