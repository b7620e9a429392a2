#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace frugal {

/// Caches of one level and type; all are taken to be alike, the largest is given.
struct CacheLevel {
  int level = 0;
  std::string type;         ///< "data", "instruction", "unified"
  std::uint64_t bytes = 0;  ///< of one instance
  int instances = 0;
  int shared_by = 0;   ///< logical CPUs for each instance
  int line_bytes = 0;  ///< 0 = not told
  int ways = 0;        ///< 0 = not told
};

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

/// How the machine is built, from /sys and /proc. What the kernel does not tell is 0 or empty.
struct Topology {
  int cpus_online = 0;
  int sockets = 0;
  int cores = 0;  ///< physical, of all sockets
  std::vector<CacheLevel> caches;
  std::vector<NumaNode> nodes;
  std::uint64_t memory_bytes = 0;
  std::uint64_t swap_bytes = 0;
  std::string transparent_huge_pages;  ///< "always", "madvise", "never"
  std::vector<HugePagePool> huge_page_pools;
};

/// `root` stands for "/": a recorded machine is read like the running one.
Topology read_topology(const std::string& root = "/");

/// Bytes of one data or unified cache of a level; 0 where there is none or it is not told.
std::uint64_t cache_bytes(const Topology& topology, int level);

}  // namespace frugal
