#pragma once
#include <string>
#include <vector>

#include "libcore/system/cores/cache_table.h"
#include "libcore/system/cores/cpu_speeds.h"

namespace frugal {

/// Cores of one kind on a machine whose cores differ: P and E cores, big and little ones.
struct CoreKind {
  std::string name;       ///< "performance", "efficiency", "Cortex-A76", "kind 1"
  std::vector<int> cpus;  ///< logical CPUs
  int cores = 0;
  double max_mhz = 0;              ///< highest clock frequency; 0 = unknown
  double speed = 1;                ///< of a core, divided by that of the fastest core
  std::vector<CacheLevel> caches;  ///< caches that these cores use, also those shared with others
};

/// A core: its first logical CPU with its speed, and all its logical CPUs.
struct Core {
  CpuSpeed first;
  std::vector<int> cpus;
};

/// Kinds of cores, fastest first. They differ in family, in sizes of caches, or by more than a
/// fifth in speed. Empty if all cores are alike. `caches` are those of the same cores.
std::vector<CoreKind> core_kinds(const std::vector<Core>& cores, const CacheTable& caches);

/// Name of Arm's own cores by the "CPU part" of /proc/cpuinfo: "0xd0b" -> "Cortex-A76".
std::string arm_core_name(std::string_view part);

}  // namespace frugal
