#pragma once
#include <string>
#include <vector>

namespace frugal {

/// Speed of a CPU as the kernel's tables give it, not a measurement.
struct CpuSpeed {
  int cpu = 0;
  double max_mhz = 0;  ///< highest clock frequency; 0 = unknown
  double speed = 1;    ///< of one thread alone on its core, divided by that of the fastest CPU
  std::string family;  ///< Intel: "core", "atom" or "lowpower"; Arm: implementer and part; else ""
};

/// Speeds of `cpus`, in their order. The source is cpu_capacity where CPUs differ in it, else the
/// highest clock frequency. Frequencies of Intel's E cores count 0.787 times: Linux
/// (intel_pstate.c) takes 78.741 MHz of a P core for as much performance as 100 MHz of an E core.
/// All are 1 if the kernel reports nothing for one of them. `root` stands for "/".
std::vector<CpuSpeed> cpu_speeds(const std::string& root, const std::vector<int>& cpus);

/// CPUs below this part of the fastest speed are slower cores. Differences above it are favoured
/// cores of one kind, whose turbo frequency is a little higher.
inline constexpr double kSlowerCore = 0.8;

/// Logical CPUs of the same core as `cpu`, itself included, as a list such as "0,64"; the number of
/// the CPU if the kernel does not report them.
std::string cpus_of_core(const std::string& root, int cpu);

}  // namespace frugal
