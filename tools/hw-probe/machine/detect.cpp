#include "tools/hw-probe/machine/detect.h"

#include <sys/utsname.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "libcore/base/text.h"
#include "libcore/system/cpu.h"
#include "libcore/system/proc_files.h"
#include "tools/hw-probe/machine/accelerators.h"
#include "tools/hw-probe/machine/environment.h"

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

/// Name of the processor. If its cores are of several Arm designs, all of them are named.
std::string model_of(const std::string& root, const Topology& topology) {
  std::string model = find_cpu_model(root);
  if (topology.core_kinds.empty() || find_architecture(root) != "aarch64") return model;
  std::string names;
  for (const CoreKind& kind : topology.core_kinds) {
    names += (names.empty() ? "" : " + ") + std::to_string(kind.cores) + " x " + kind.name;
  }
  const std::size_t board = model.find(" (");
  return board == std::string::npos ? names : names + model.substr(board);
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
  machine.kernel = read_proc_file(root, "/proc/sys/kernel/osrelease").value_or("");
  machine.cpus = find_cpus(root, environment);
  machine.threads = automatic_threads(root);
  machine.isa = find_isa(root);
  machine.topology = read_topology(root);
  machine.cpu_model = model_of(root, machine.topology);
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

namespace {

/// Common name of an instruction set level, and the flags of /proc/cpuinfo that it requires.
struct IsaLevel {
  SimdLevel level;
  std::string_view architecture;
  const char* name;
  const char* flags;
};
constexpr IsaLevel kLevels[] = {
    {SimdLevel::v2, "x86_64", "sse4_2", "cx16 popcnt sse4_1 sse4_2 ssse3"},
    {SimdLevel::v3, "x86_64", "avx2", "abm avx avx2 bmi1 bmi2 f16c fma movbe"},
    {SimdLevel::v4, "x86_64", "avx512", "avx512f avx512bw avx512cd avx512dq avx512vl"},
    {SimdLevel::v4bf16, "x86_64", "avx512_bf16", "avx512_bf16"},
    {SimdLevel::amx, "x86_64", "amx", "amx_tile amx_bf16"},
    {SimdLevel::neon, "aarch64", "neon", "asimd"},
    {SimdLevel::sve, "aarch64", "sve", "sve"},
};

const IsaLevel* find_level(SimdLevel level) {
  const auto* found = std::find_if(std::begin(kLevels), std::end(kLevels),
                                   [&](const IsaLevel& l) { return l.level == level; });
  return found == std::end(kLevels) ? nullptr : found;
}

bool has_word(const std::string& words, std::string_view word) {
  const auto list = split(words, ' ');
  return std::find(list.begin(), list.end(), word) != list.end();
}

std::string cpuinfo_of(const std::string& root) {
  return read_proc_file(root, "/proc/cpuinfo").value_or("");
}

IsaFinding recorded_level(const IsaLevel& level, const std::string& flags) {
  std::string missing;
  for (const std::string_view flag : split(level.flags, ' ')) {
    if (!has_word(flags, flag)) missing.append(" ").append(flag);
  }
  IsaFinding finding{level.name, std::string(simd_name(level.level)), missing.empty(), ""};
  finding.reason = missing.empty() ? std::string("recorded: /proc/cpuinfo lists ") + level.flags
                                   : "recorded: /proc/cpuinfo lacks" + missing;
  return finding;
}

std::string recorded_model(const std::string& cpuinfo) {
  if (const auto name = proc_field(cpuinfo, "model name")) return *name;
  const auto implementer = proc_field(cpuinfo, "CPU implementer");
  const auto part = proc_field(cpuinfo, "CPU part");
  if (!part) return "unknown";
  if (implementer != "0x41") return "implementer " + implementer.value_or("?") + " part " + *part;
  return arm_core_name(*part);
}

}  // namespace

std::string find_architecture(const std::string& root) {
  if (root == "/") {
    utsname name{};
    uname(&name);
    return name.machine;
  }
  const std::string cpuinfo = cpuinfo_of(root);
  if (proc_field(cpuinfo, "flags")) return "x86_64";
  return proc_field(cpuinfo, "Features") ? "aarch64" : "unknown";
}

std::string find_cpu_model(const std::string& root) {
  std::string model = root == "/" ? cpu_model() : recorded_model(cpuinfo_of(root));
  std::string board = read_proc_file(root, "/proc/device-tree/model").value_or("");
  while (!board.empty() && board.back() == '\0') board.pop_back();
  return board.empty() ? model : model + " (" + board + ")";
}

std::vector<IsaFinding> find_isa(const std::string& root) {
  std::vector<IsaFinding> findings;
  if (root == "/") {
    for (const SimdSupport& support : simd_support()) {
      const IsaLevel* level = find_level(support.level);
      const std::string simd(simd_name(support.level));
      findings.push_back({level ? level->name : simd, simd, support.usable, support.reason});
    }
    return findings;
  }
  const std::string cpuinfo = cpuinfo_of(root);
  const std::string architecture = find_architecture(root);
  const std::string flags =
      proc_field(cpuinfo, architecture == "x86_64" ? "flags" : "Features").value_or("");
  bool lower_usable = true;
  for (const IsaLevel& level : kLevels) {
    if (level.architecture != architecture) continue;
    IsaFinding finding = recorded_level(level, flags);
    if (finding.usable && !lower_usable) {
      finding.usable = false;
      finding.reason = "recorded: a lower level is missing";
    }
    lower_usable = finding.usable;
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace frugal::probe
