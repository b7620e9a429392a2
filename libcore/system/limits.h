#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace frugal {

/// A control group of this process or an ancestor of it, as far as it is visible.
struct CgroupFolder {
  int version = 2;     ///< 1 or 2
  std::string name;    ///< path below the mount point, "/" for the mount point itself
  std::string folder;  ///< path of its files, without the root of a recorded machine
};

/// The groups that limit `controller` ("cpu", "memory") for this process, innermost first: version
/// 1 if a hierarchy with this controller is mounted, and version 2. In containers /proc/self/cgroup
/// may name paths of the host that the mount does not show; these are resolved. `root` stands for
/// "/".
std::vector<CgroupFolder> cgroup_folders(const std::string& root, const std::string& controller);

/// One reason why this process may use fewer CPUs than the machine has.
struct CpuLimit {
  /// "online", "affinity", "cgroup v2 cpu.max of /job", "SLURM_CPUS_PER_TASK" ...
  std::string source;
  double cpus = 0;
};

/// All limits of this process, and their minimum, at least 1.
struct UsableCpus {
  int count = 1;
  std::vector<CpuLimit> limits;
  std::vector<int> cpus;  ///< CPUs that the process may run on; a quota may allow fewer at a time
};

/// Reads CPUs online, affinity, and cgroup v1/v2 quotas of all ancestors. A quota is rounded to the
/// nearest number: 3.99 are 4 CPUs, 1.1 is 1. One thread more than a quota has whole CPUs gains
/// from a fraction of a half on; below that, the time in which the group is stopped costs more.
/// `root` stands for "/" (recorded machines in tests). Affinity comes from the kernel if root is
/// "/", else from root/proc/self/status.
UsableCpus usable_cpus(const std::string& root = "/");

/// One limit of memory and the part of it that is free.
struct MemoryLimit {
  std::string source;  ///< "MemAvailable", "cgroup v2 memory.max of /job", "RLIMIT_AS"
  std::uint64_t limit = 0;
  std::uint64_t left = 0;
};

/// Returns the memory of the machine in bytes, by /proc/meminfo, else by sysinfo(2); 0 if unknown.
std::uint64_t installed_memory(const std::string& root = "/");

/// Returns what limits memory: MemAvailable (limit: MemTotal), and those limits below MemTotal:
/// memory.max and memory.high of the cgroup v2 and v1 of all ancestors, RLIMIT_AS and RLIMIT_DATA
/// of this process, and the memory of a SLURM job. File pages that a group can give back count as
/// left.
std::vector<MemoryLimit> memory_limits(const std::string& root = "/");

/// Bytes that this process may still take: the smallest `left` of memory_limits(); 0 if unknown.
std::uint64_t memory_available(const std::string& root = "/");

/// Fails (unavailable) if `bytes` are more than memory_available(): "WHAT needs 1.9 TiB of memory,
/// expected at most the 20 GiB that are left". Call it with sizes that a file claims, before
/// allocating.
void check_memory(const std::string& what, std::uint64_t bytes);

/// Peak resident set of this process so far, in bytes.
std::uint64_t peak_memory();

}  // namespace frugal
