#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "libcore/system/topology.h"
#include "tools/hw-probe/bench/measure.h"

namespace frugal::probe {

/// A number of bytes that lies in one level of the memory hierarchy.
struct WorkingSet {
  std::string name;  ///< "l1", "l2", "l3", "dram"
  std::size_t bytes = 0;
  int caches = 1;  ///< caches of the level in the machine; 1 for DRAM

  /// Number of them that `threads` threads use: each walks `bytes` of its cache, with the threads
  /// that share it.
  int used_by(int threads) const { return std::min(threads, caches); }
};

/// Half of L1, half of L2, an eighth of L3 but at least four times L2. In DRAM twice all L3 caches
/// of the machine together: 256 MiB to 4 GiB, at most a quarter of `available_bytes` (an eighth on
/// several NUMA nodes, where one thread and all threads have memory of their own); a sixteenth of
/// that if `quick`.
std::vector<WorkingSet> working_sets(const Topology& topology, std::uint64_t available_bytes,
                                     bool quick);

/// Capacities of the same levels: the L1 and L2 caches that `threads` use together, one L3 cache,
/// and the memory of the machine. A table that all threads read must fit into each L3 cache.
std::vector<std::pair<std::string, std::uint64_t>> level_capacities(
    const Topology& topology, const std::vector<WorkingSet>& sets, int threads);

/// A block of memory that is mapped and touched when it is first used, each part by the thread that
/// walks it: the system takes the pages from that thread's NUMA node.
class LazyMemory {
 public:
  LazyMemory(std::size_t num_bytes, bool huge_pages) : size_(num_bytes), huge_(huge_pages) {}
  ~LazyMemory();
  LazyMemory(const LazyMemory&) = delete;
  LazyMemory& operator=(const LazyMemory&) = delete;
  /// Maps, advises and touches all pages. Fails with unavailable (69) if there is no memory.
  void touch();
  char* data() const { return data_; }
  bool huge_pages() const { return huge_; }

 private:
  std::size_t size_;
  bool huge_;
  char* data_ = nullptr;
};

/// Memory of the works with one thread and of those with all threads: the same unless NUMA nodes
/// make them differ.
struct BenchMemory {
  LazyMemory* one;
  LazyMemory* all;
  LazyMemory* of(int threads) const { return threads == 1 ? one : all; }
};

/// Read, write, copy and triad by working set, with one thread and with `threads`. `memory` holds
/// the largest set and must outlive the works.
std::vector<Work> bandwidth_works(const std::vector<WorkingSet>& sets, int threads,
                                  const BenchMemory& memory);

/// Sums of random rows of 64, 256 and 512 bytes from sets in L2, L3 and DRAM.
std::vector<Work> gather_works(const std::vector<WorkingSet>& sets, int threads,
                               const BenchMemory& memory, std::uint64_t seed);

/// Chains of loads that each need the one before. They overwrite the memory: measure them last.
std::vector<Work> chain_works(const std::vector<WorkingSet>& sets, LazyMemory* memory);

}  // namespace frugal::probe
