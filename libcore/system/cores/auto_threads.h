#pragma once
#include <string>

#include "libcore/system/limits.h"

namespace frugal {

/// Number of threads, and why in words for the user.
struct ThreadChoice {
  int threads = 1;
  std::string reason;
};

/// Chooses at most `usable.count` threads for work that is split evenly among them, so that the
/// slowest thread sets the pace: the k that makes k times the speed of the k-th fastest thread
/// greatest. A thread that shares its core with another counts as 0.55 of one that is alone. Where
/// no core is more than a fifth slower than the fastest, these are all usable CPUs. The choice is
/// computed from cpu_speeds(), not measured. `root` stands for "/".
ThreadChoice choose_threads(const std::string& root, const UsableCpus& usable);

/// Threads of `--threads auto`: FRUGAL_THREADS > OMP_NUM_THREADS > min(SLURM_CPUS_PER_TASK,
/// choose_threads()) > choose_threads(). The variables are those of this process, or of a recorded
/// machine. Fails with usage (2) if FRUGAL_THREADS is no number of threads.
ThreadChoice automatic_threads(const std::string& root = "/");

/// Threads to use for `--threads TEXT`: a number, or auto. Fails with usage (2) on anything else.
int resolve_threads(const std::string& option);

}  // namespace frugal
