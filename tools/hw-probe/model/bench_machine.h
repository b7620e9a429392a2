#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tools/hw-probe/model/machine_spec.h"

namespace frugal::probe {

/// The machine that `hw-probe bench --json` measured; its devices are not part of it. Fails
/// (bad_input) with `path` where a figure that the model needs is missing.
MachineSpec machine_of_bench(const nlohmann::ordered_json& bench, const std::string& path);

}  // namespace frugal::probe
