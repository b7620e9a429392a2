#pragma once
#include <vector>

#include "libcore/system/topology.h"

namespace frugal::probe {

/// CPUs that each thread may run on, by number of the thread; empty = wherever the system puts it.
using Places = std::vector<std::vector<int>>;

/// Places of `threads` threads on a machine with several NUMA nodes: consecutive threads stay on
/// the CPUs of one node, in proportion to its share of `allowed`. Empty with fewer than two nodes.
Places node_places(const Topology& topology, const std::vector<int>& allowed, int threads);

/// CPUs of the kind that are allowed.
std::vector<int> allowed_cpus(const std::vector<int>& cpus, const std::vector<int>& allowed);

/// Keeps the threads of parallel_threads() on their places while it lives. Places that the system
/// refuses are ignored.
class PlacedThreads {
 public:
  explicit PlacedThreads(const Places& places);
  ~PlacedThreads();
  PlacedThreads(const PlacedThreads&) = delete;
  PlacedThreads& operator=(const PlacedThreads&) = delete;

 private:
  std::vector<int> before_;  ///< CPUs of the process; empty if nothing was changed
};

}  // namespace frugal::probe
