#pragma once
#include <string>

#include "libcore/metrics/result_fields.h"
#include "tools/hw-probe/machine/machine.h"

namespace frugal::probe {

/// Describes all of `machine`; sizes are in bytes. Keys never change their meaning within a version
/// of the schema, which run_tool() adds.
void describe_machine(const ResultFields& f, const Machine& machine);

/// Differences between two files that `hw-probe detect --json` wrote, one "path: a -> b" a line;
/// empty if there are none. Amounts of free memory, which change all the time, are not compared.
/// Fails with cannot_open or bad_input.
std::string machine_differences(const std::string& path_a, const std::string& path_b);

}  // namespace frugal::probe
