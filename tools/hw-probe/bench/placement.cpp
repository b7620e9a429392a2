#include "tools/hw-probe/bench/placement.h"

#include <sched.h>

#include <algorithm>

#include "libcore/system/limits.h"
#include "libcore/threading/parallel.h"

namespace frugal::probe {
namespace {

void stay_on(const std::vector<int>& cpus) {
  if (cpus.empty()) return;
  const int count = *std::max_element(cpus.begin(), cpus.end()) + 1;
  cpu_set_t* set = CPU_ALLOC(count);
  const std::size_t size = CPU_ALLOC_SIZE(count);
  CPU_ZERO_S(size, set);
  for (const int cpu : cpus) CPU_SET_S(cpu, size, set);
  static_cast<void>(sched_setaffinity(0, size, set));
  CPU_FREE(set);
}

}  // namespace

std::vector<int> allowed_cpus(const std::vector<int>& cpus, const std::vector<int>& allowed) {
  std::vector<int> both;
  for (const int cpu : cpus) {
    if (std::find(allowed.begin(), allowed.end(), cpu) != allowed.end()) both.push_back(cpu);
  }
  return both;
}

Places node_places(const Topology& topology, const std::vector<int>& allowed, int threads) {
  Places nodes;
  std::size_t cpus = 0;
  for (const NumaNode& node : topology.nodes) {
    auto own = allowed_cpus(node.cpus, allowed);
    cpus += own.size();
    if (!own.empty()) nodes.push_back(std::move(own));
  }
  if (nodes.size() < 2) return {};
  Places places;
  std::size_t node = 0, cpus_before = 0;
  for (std::size_t thread = 0; thread < static_cast<std::size_t>(threads); ++thread) {
    const std::size_t cpu = thread * cpus / static_cast<std::size_t>(threads);
    while (cpu >= cpus_before + nodes[node].size()) cpus_before += nodes[node++].size();
    places.push_back(nodes[node]);
  }
  return places;
}

PlacedThreads::PlacedThreads(const Places& places) {
  if (places.empty()) return;
  before_ = usable_cpus().cpus;
  parallel_threads(
      [&](int thread) { stay_on(places[static_cast<std::size_t>(thread) % places.size()]); });
}

PlacedThreads::~PlacedThreads() {
  if (!before_.empty()) parallel_threads([&](int) { stay_on(before_); });
}

}  // namespace frugal::probe
