#pragma once
#include <vector>

#include "tools/hw-probe/bench/bench_memory.h"

namespace frugal::probe {

/// Draws of neighbours from a graph in CSR form, ten for each of random nodes, as samplers of
/// mini-batches do: nanoseconds a drawn edge. Sets in L3 and DRAM; they overwrite the memory.
std::vector<Work> sampling_works(const std::vector<WorkingSet>& sets, int threads,
                                 const BenchMemory& memory, std::uint64_t seed);

/// Searches of random keys in a half full table of open addressing, half of them in vain:
/// nanoseconds a key. Sets in L3 and DRAM; they overwrite the memory.
std::vector<Work> hash_works(const std::vector<WorkingSet>& sets, int threads,
                             const BenchMemory& memory, std::uint64_t seed);

}  // namespace frugal::probe
