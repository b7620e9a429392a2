#include "libcore/system/cores/cpu_speeds.h"

#include <algorithm>
#include <map>
#include <optional>

#include "libcore/base/text.h"
#include "libcore/system/proc_files.h"

namespace frugal {
namespace {

#if defined(__x86_64__)
constexpr bool kHostIsX86 = true;
#else
constexpr bool kHostIsX86 = false;
#endif

std::string cpu_file(int cpu, const char* name) {
  return "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/" + name;
}

/// Reads the same number for each CPU; empty if one of them is missing or 0.
std::vector<double> numbers_of(const std::string& root, const std::vector<CpuSpeed>& cpus,
                               const char* name) {
  std::vector<double> numbers;
  for (const CpuSpeed& cpu : cpus) {
    const auto text = read_proc_file(root, cpu_file(cpu.cpu, name));
    const auto number = text ? parse_number<double>(*text) : std::nullopt;
    if (!number || !(*number > 0)) return {};
    numbers.push_back(*number);
  }
  return numbers;
}

/// Families by the lists of CPUs that each of Intel's counters of events covers.
void read_intel_families(const std::string& root, std::map<int, std::string>* families) {
  for (const char* family : {"core", "atom", "lowpower"}) {
    const auto list = read_proc_file(root, std::string("/sys/devices/cpu_") + family + "/cpus");
    if (!list) continue;
    for (const int cpu : parse_cpu_list(*list)) (*families)[cpu] = family;
  }
}

/// Families by the lines "CPU implementer" and "CPU part" after each "processor". Those of x86 have
/// none, and the kernel takes long to write their /proc/cpuinfo.
void read_arm_families(const std::string& root, std::map<int, std::string>* families) {
  if (kHostIsX86 && root == "/") return;
  const std::string cpuinfo = read_proc_file(root, "/proc/cpuinfo").value_or("");
  std::optional<int> cpu;
  std::string implementer;
  for (const std::string_view line : split(cpuinfo, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view name = trim(line.substr(0, colon)), value = trim(line.substr(colon + 1));
    if (name == "processor") cpu = parse_number<int>(value);
    if (name == "CPU implementer") implementer = value;
    if (name == "CPU part" && cpu) (*families)[*cpu] = implementer + " " + std::string(value);
  }
}

std::vector<double> raw_speeds(const std::string& root, const std::vector<CpuSpeed>& cpus) {
  auto capacities = numbers_of(root, cpus, "cpu_capacity");
  if (!capacities.empty()) {
    // Linux gives all CPUs of a hybrid x86 machine the same one while two threads share a core.
    const auto [least, most] = std::minmax_element(capacities.begin(), capacities.end());
    if (*least < *most) return capacities;
  }
  constexpr double kCoreStep = 78.741, kAtomStep = 100;  // MHz for one unit of performance
  std::vector<double> speeds;
  for (const CpuSpeed& cpu : cpus) {
    const bool atom = cpu.family == "atom" || cpu.family == "lowpower";
    speeds.push_back(cpu.max_mhz / (atom ? kAtomStep : kCoreStep));
  }
  return speeds;
}

}  // namespace

std::vector<CpuSpeed> cpu_speeds(const std::string& root, const std::vector<int>& cpus) {
  std::map<int, std::string> families;
  read_arm_families(root, &families);
  read_intel_families(root, &families);
  std::vector<CpuSpeed> speeds;
  // A kernel or a recording may describe only the first CPU: all are alike then.
  const bool all_known =
      std::all_of(cpus.begin(), cpus.end(), [&](int cpu) { return families.contains(cpu); });
  for (const int cpu : cpus) speeds.push_back({cpu, 0, 1, all_known ? families[cpu] : ""});
  const auto kilohertz = numbers_of(root, speeds, "cpufreq/cpuinfo_max_freq");
  for (std::size_t i = 0; i < kilohertz.size(); ++i) speeds[i].max_mhz = kilohertz[i] / 1000;
  const auto raw = raw_speeds(root, speeds);
  const double fastest = raw.empty() ? 0 : *std::max_element(raw.begin(), raw.end());
  if (!(fastest > 0)) return speeds;
  for (std::size_t i = 0; i < speeds.size(); ++i) speeds[i].speed = raw[i] / fastest;
  return speeds;
}

std::string cpus_of_core(const std::string& root, int cpu) {
  auto siblings = read_proc_file(root, cpu_file(cpu, "topology/core_cpus_list"));
  if (!siblings) siblings = read_proc_file(root, cpu_file(cpu, "topology/thread_siblings_list"));
  return siblings.value_or(std::to_string(cpu));
}

}  // namespace frugal
