#pragma once
#include <string>

#include "tools/hw-probe/machine/machine.h"

namespace frugal::probe {

/// #SBATCH lines of a job that has what this process may use, on so many such nodes: a rank for
/// each GPU that the tools can compute on, without any one rank.
std::string machine_sbatch(const Machine& machine, int nodes = 1);

}  // namespace frugal::probe
