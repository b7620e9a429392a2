#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace frugal {

/// One reason why fewer CPUs than the machine has may be used.
struct CpuLimit {
  std::string source;  ///< "affinity", "cgroup v2 cpu.max", "SLURM_CPUS_PER_TASK" ...
  double cpus = 0;
};

/// All limits that apply to this process, and their minimum, at least 1.
struct UsableCpus {
  int count = 1;
  std::vector<CpuLimit> limits;
};

/// Affinity and cgroup v1/v2 quotas of all ancestors. `root` stands for "/" (recorded machines in tests);
/// affinity is asked of the kernel when root is "/", else read from root/proc/self/status.
UsableCpus usable_cpus(const std::string& root = "/");

/// Threads to use for `--threads TEXT`: a number, or auto = FRUGAL_THREADS > OMP_NUM_THREADS >
/// min(SLURM_CPUS_PER_TASK, affinity) > usable_cpus(). Fails with usage (2) on anything else.
int resolve_threads(const std::string& option);

/// Bytes that this process may still take: min(MemAvailable, what its cgroups have left).
std::uint64_t memory_available(const std::string& root = "/");

/// Peak resident set of this process so far, in bytes.
std::uint64_t peak_memory();

}  // namespace frugal
