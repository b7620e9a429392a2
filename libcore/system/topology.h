#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "libcore/system/cores/core_kinds.h"

namespace frugal {

struct NumaNode {
  int id = 0;
  std::vector<int> cpus;  ///< empty for memory without CPUs
  std::uint64_t memory_bytes = 0;
  std::vector<int> distances;  ///< to every node, 10 = itself
};

/// A pool of reserved huge pages (hugetlbfs).
struct HugePagePool {
  std::uint64_t page_bytes = 0;
  std::uint64_t total = 0;
  std::uint64_t free = 0;
};

/// Structure of the machine, from /sys and /proc. Values that the kernel does not report are 0 or
/// empty.
struct Topology {
  int cpus_online = 0;
  int sockets = 0;
  int cores = 0;  ///< physical, of all sockets
  std::vector<CacheLevel> caches;
  std::vector<CoreKind> core_kinds;  ///< fastest first; empty if all cores are alike
  std::vector<NumaNode> nodes;
  std::uint64_t memory_bytes = 0;
  std::uint64_t swap_bytes = 0;
  std::string transparent_huge_pages;  ///< "always", "madvise", "never"
  std::vector<HugePagePool> huge_page_pools;
};

/// `root` stands for "/", so that a recorded machine can be read like the running one.
Topology read_topology(const std::string& root = "/");

/// Bytes of one data or unified cache of a level, of the fastest cores if there are several kinds;
/// 0 if there is none or its size is unknown.
std::uint64_t cache_bytes(const Topology& topology, int level);

}  // namespace frugal
