#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tools/hw-probe/machine/machine.h"

namespace frugal::probe {

/// Adds all of `machine` to an object; sizes in bytes. The keys never change their meaning within a
/// version of the schema, which run_tool() has put there.
void add_machine(const Machine& machine, nlohmann::ordered_json* object);

/// Differences between two files that `hw-probe detect --json` wrote, one "path: a -> b" a line;
/// empty if there are none. Amounts of free memory, which change all the time, are not compared.
/// Fails with cannot_open or bad_input.
std::string machine_differences(const std::string& path_a, const std::string& path_b);

}  // namespace frugal::probe
