#pragma once
#include "tools/hw-probe/machine.h"

namespace frugal::probe {

/// Asks the CUDA driver and NVML, loaded at run time, and appends what they say to the finding.
void ask_cuda_driver(AcceleratorFinding* finding);

}  // namespace frugal::probe
