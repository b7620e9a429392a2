#pragma once
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
};

/// Half of L1, half of L2, an eighth of L3 but at least four times L2, and twice L3 in DRAM: 256
/// MiB to 1 GiB, at most a quarter of `available_bytes`; a sixteenth of that if `quick`.
std::vector<WorkingSet> working_sets(const Topology& topology, std::uint64_t available_bytes,
                                     bool quick);

/// Capacities of the same levels: what `threads` have of their own caches together, a shared cache
/// once, and the memory of the machine.
std::vector<std::pair<std::string, std::uint64_t>> level_capacities(
    const Topology& topology, const std::vector<WorkingSet>& sets, int threads);

/// A block of memory that is mapped and touched when it is first used.
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

/// Read, write, copy and triad by working set, with one thread and with `threads`. `memory` holds
/// the largest set and must outlive the works.
std::vector<Work> bandwidth_works(const std::vector<WorkingSet>& sets, int threads,
                                  LazyMemory* memory);

/// Sums of random rows of 64, 256 and 512 bytes from sets in L2, L3 and DRAM.
std::vector<Work> gather_works(const std::vector<WorkingSet>& sets, int threads, LazyMemory* memory,
                               std::uint64_t seed);

/// Chains of loads that each need the one before. They overwrite the memory: measure them last.
std::vector<Work> chain_works(const std::vector<WorkingSet>& sets, LazyMemory* memory);

}  // namespace frugal::probe
