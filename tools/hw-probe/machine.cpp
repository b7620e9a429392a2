#include "tools/hw-probe/machine.h"

#include <algorithm>
#include <cmath>

#include "libcore/system/proc_files.h"
#include "tools/hw-probe/accelerators.h"
#include "tools/hw-probe/environment.h"
#include "tools/hw-probe/isa.h"

namespace frugal::probe {
namespace {

UsableCpus find_cpus(const std::string& root, const Environment& environment) {
  UsableCpus cpus = usable_cpus(root);
  for (CpuLimit& limit : environment_cpu_limits(environment)) {
    cpus.count = std::min(cpus.count, static_cast<int>(limit.cpus));
    cpus.limits.push_back(std::move(limit));
  }
  return cpus;
}

std::string best_simd(const std::vector<IsaFinding>& isa) {
  std::string best = "none";
  for (const IsaFinding& level : isa) {
    if (level.usable) best = level.simd;
  }
  return best;
}

/// No tool has an engine for another device than the CPU yet (libcore/device/registry.h).
std::vector<ToolChoice> choose_for_tools(const Machine& machine) {
  const std::string simd = best_simd(machine.isa);
  return {{"sparse-train", simd, "cpu"}, {"robe-compress", simd, "cpu"},
          {"gnn-sample", simd, "cpu"},   {"tgn-train", simd, "cpu"},
          {"hw-probe", simd, "cpu"},     {"tensor-file", "none", "cpu"}};
}

}  // namespace

Machine detect_machine(const std::string& root) {
  const Environment environment(root);
  Machine machine;
  machine.recorded = root != "/";
  machine.architecture = find_architecture(root);
  machine.cpu_model = find_cpu_model(root);
  machine.kernel = read_proc_file(root, "/proc/sys/kernel/osrelease").value_or("");
  machine.cpus = find_cpus(root, environment);
  machine.isa = find_isa(root);
  machine.topology = read_topology(root);
  machine.memory = memory_limits(root);
  machine.memory_available = memory_available(root);
  machine.accelerators = find_accelerators(root, environment);
  machine.devices = {{"cpu", machine.cpu_model, machine.topology.memory_bytes}};
  for (const AcceleratorFinding& accelerator : machine.accelerators) {
    machine.devices.insert(machine.devices.end(), accelerator.devices.begin(),
                           accelerator.devices.end());
  }
  machine.surroundings = find_surroundings(root, environment);
  machine.tools = choose_for_tools(machine);
  return machine;
}

}  // namespace frugal::probe
