#include "tools/hw-probe/machine/environment.h"

#include <unistd.h>

#include <algorithm>

#include "libcore/base/text.h"
#include "libcore/system/proc_files.h"

namespace frugal::probe {
namespace {

std::string virtualization_of(const std::string& root) {
  const std::string vendor = read_proc_file(root, "/sys/class/dmi/id/sys_vendor").value_or("");
  const std::string product = read_proc_file(root, "/sys/class/dmi/id/product_name").value_or("");
  const std::string cpuinfo = read_proc_file(root, "/proc/cpuinfo").value_or("");
  const std::string flags = " " + proc_field(cpuinfo, "flags").value_or("") + " ";
  const bool hypervisor = flags.find(" hypervisor ") != std::string::npos ||
                          proc_path_exists(root, "/proc/device-tree/hypervisor");
  if (const auto type = read_proc_file(root, "/sys/hypervisor/type")) return *type + " guest";
  // Bare-metal instances of Amazon carry the same vendor, but no hypervisor flag.
  const bool guest_product = vendor == "QEMU" || vendor == "Amazon EC2" || vendor == "Google";
  const bool metal = product.find(".metal") != std::string::npos;
  const bool arm_guest = flags == "  " && guest_product && !metal;
  if (!hypervisor && !arm_guest) return "";
  if (vendor.empty()) return "yes (hypervisor flag)";
  return product.empty() ? vendor : vendor + " " + product;
}

std::string container_of(const std::string& root, const Environment& environment) {
  if (proc_path_exists(root, "/.dockerenv")) return "Docker (/.dockerenv)";
  if (proc_path_exists(root, "/run/.containerenv")) return "Podman (/run/.containerenv)";
  if (proc_path_exists(root, "/.singularity.d"))
    return "Apptainer or Singularity (/.singularity.d)";
  if (environment.get("KUBERNETES_SERVICE_HOST")) return "Kubernetes (KUBERNETES_SERVICE_HOST)";
  if (const auto kind = environment.get("container")) return *kind + " (variable container)";
  const std::string groups = read_proc_file(root, "/proc/self/cgroup").value_or("");
  for (const char* name : {"kubepods", "docker", "libpod", "containerd", "lxc"}) {
    if (groups.find(name) != std::string::npos) return std::string(name) + " (control group)";
  }
  return "";
}

std::string batch_system_of(const Environment& environment) {
  const auto job = environment.get("SLURM_JOB_ID");
  if (!job) return "";
  std::string text = "SLURM job " + *job;
  const std::pair<const char*, const char*> parts[] = {{"SLURM_STEP_ID", "step"},
                                                       {"SLURM_NTASKS", "tasks"},
                                                       {"SLURM_PROCID", "task number"},
                                                       {"SLURM_CPUS_PER_TASK", "CPUs a task"},
                                                       {"SLURM_MEM_PER_NODE", "MiB a node"},
                                                       {"SLURM_MEM_PER_CPU", "MiB a CPU"}};
  for (const auto& [variable, meaning] : parts) {
    if (const auto value = environment.get(variable)) {
      text.append(", ").append(meaning).append(" ").append(*value);
    }
  }
  return text;
}

}  // namespace

Environment::Environment(const std::string& root) {
  if (root == "/") {
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
      entries_.emplace_back(*entry);
    }
  } else {
    const std::string recorded = read_proc_file(root, "/proc/self/environ").value_or("");
    for (const std::string_view entry : split(recorded, '\0')) {
      if (!entry.empty()) entries_.emplace_back(entry);
    }
  }
  std::sort(entries_.begin(), entries_.end());
}

std::optional<std::string> Environment::get(const std::string& name) const {
  const std::string start = name + "=";
  for (const std::string& entry : entries_) {
    if (entry.compare(0, start.size(), start) == 0 && entry.size() > start.size()) {
      return entry.substr(start.size());
    }
  }
  return std::nullopt;
}

std::vector<std::string> Environment::with_prefix(const std::string& prefix) const {
  std::vector<std::string> found;
  for (const std::string& entry : entries_) {
    if (entry.compare(0, prefix.size(), prefix) == 0) found.push_back(entry);
  }
  return found;
}

Surroundings find_surroundings(const std::string& root, const Environment& environment) {
  return {virtualization_of(root), container_of(root, environment), batch_system_of(environment)};
}

std::vector<CpuLimit> environment_cpu_limits(const Environment& environment) {
  std::vector<CpuLimit> limits;
  for (const char* name : {"SLURM_CPUS_PER_TASK", "OMP_NUM_THREADS"}) {
    const auto text = environment.get(name);
    if (!text) continue;
    // OpenMP allows a list, one number for each level of nesting.
    const auto cpus = parse_number<int>(trim(split(*text, ',').front()));
    if (cpus && *cpus > 0) limits.push_back({name, static_cast<double>(*cpus)});
  }
  return limits;
}

}  // namespace frugal::probe
