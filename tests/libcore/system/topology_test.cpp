#include "libcore/system/topology.h"

#include <doctest/doctest.h>

#include "tests/libcore/system/scratch_folder.h"

using namespace frugal;

namespace {

void put_cache(const ScratchFolder& root, int cpu, int index, const std::string& level,
               const std::string& type, const std::string& size, const std::string& shared) {
  const std::string folder = "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cache/index" +
                             std::to_string(index) + "/";
  root.put(folder + "level", level + "\n");
  root.put(folder + "type", type + "\n");
  root.put(folder + "size", size + "\n");
  root.put(folder + "shared_cpu_list", shared + "\n");
  root.put(folder + "coherency_line_size", "64\n");
}

/// Two sockets, one core each, two threads a core: CPUs 0 and 2, 1 and 3.
void put_two_sockets(const ScratchFolder& root) {
  root.put("sys/devices/system/cpu/online", "0-3\n");
  for (int cpu = 0; cpu < 4; ++cpu) {
    const std::string folder = "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
    const std::string siblings = cpu % 2 == 0 ? "0,2" : "1,3";
    root.put(folder + "physical_package_id", std::to_string(cpu % 2) + "\n");
    root.put(folder + "core_cpus_list", siblings + "\n");
    put_cache(root, cpu, 0, "1", "Data", "48K", siblings);
    put_cache(root, cpu, 1, "1", "Instruction", "32K", siblings);
    put_cache(root, cpu, 2, "3", "Unified", "36608K", siblings);
  }
}

}  // namespace

TEST_CASE("sockets, cores and shared caches are counted once") {
  const ScratchFolder root;
  put_two_sockets(root);
  const Topology t = read_topology(root.path());
  CHECK(t.cpus_online == 4);
  CHECK(t.sockets == 2);
  CHECK(t.cores == 2);
  REQUIRE(t.caches.size() == 3);
  CHECK(t.caches[0].type == "data");
  CHECK(t.caches[1].type == "instruction");
  CHECK(t.caches[2].instances == 2);
  CHECK(t.caches[2].shared_by == 2);
  CHECK(t.caches[2].line_bytes == 64);
  CHECK(cache_bytes(t, 1) == 48 * 1024);
  CHECK(cache_bytes(t, 2) == 0);
  CHECK(cache_bytes(t, 3) == std::uint64_t{36608} * 1024);
}

TEST_CASE("NUMA nodes, memory and huge pages are read") {
  const ScratchFolder root;
  root.put("sys/devices/system/node/online", "0-1\n");
  root.put("sys/devices/system/node/node0/cpulist", "0-3\n");
  root.put("sys/devices/system/node/node0/distance", "10 21\n");
  root.put("sys/devices/system/node/node0/meminfo", "Node 0 MemTotal:       1024 kB\n");
  root.put("sys/devices/system/node/node1/cpulist", "\n");
  root.put("sys/devices/system/node/node1/meminfo", "Node 1 MemTotal:       2048 kB\n");
  root.put("proc/meminfo", "MemTotal:       3072 kB\nSwapTotal:      16 kB\n");
  root.put("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  for (const char* size : {"1048576", "2048"}) {
    root.put(std::string("sys/kernel/mm/hugepages/hugepages-") + size + "kB/nr_hugepages", "5\n");
    root.put(std::string("sys/kernel/mm/hugepages/hugepages-") + size + "kB/free_hugepages", "4\n");
  }
  const Topology t = read_topology(root.path());
  REQUIRE(t.nodes.size() == 2);
  CHECK(t.nodes[0].cpus.size() == 4);
  CHECK(t.nodes[0].distances == std::vector<int>{10, 21});
  CHECK(t.nodes[0].memory_bytes == 1024 * 1024);
  CHECK(t.nodes[1].cpus.empty());
  CHECK(t.memory_bytes == 3072 * 1024);
  CHECK(t.swap_bytes == 16 * 1024);
  CHECK(t.transparent_huge_pages == "madvise");
  REQUIRE(t.huge_page_pools.size() == 2);
  CHECK(t.huge_page_pools[0].page_bytes == std::uint64_t{2} << 20);
  CHECK(t.huge_page_pools[1].page_bytes == std::uint64_t{1} << 30);
  CHECK(t.huge_page_pools[0].total == 5);
  CHECK(t.huge_page_pools[0].free == 4);
}

TEST_CASE("a list of huge pages without a choice names none") {
  for (const char* text : {"always madvise] never\n", "always [madvise never\n", "a] [b\n"}) {
    const ScratchFolder root;
    root.put("sys/kernel/mm/transparent_hugepage/enabled", text);
    CHECK(read_topology(root.path()).transparent_huge_pages.empty());
  }
}

TEST_CASE("a machine that tells little gives zeros, not errors") {
  const ScratchFolder root;
  Topology t = read_topology(root.path());
  CHECK(t.cpus_online == 0);
  CHECK(t.caches.empty());
  CHECK(t.transparent_huge_pages.empty());
  root.put("proc/cpuinfo", "processor\t: 0\nBogoMIPS\t: 108.00\n\nprocessor\t: 1\n");
  t = read_topology(root.path());
  CHECK(t.cpus_online == 2);
  root.put("sys/devices/system/cpu/online", "0\n");
  put_cache(root, 0, 0, "1", "Data", "", "0");
  CHECK(read_topology(root.path()).caches.empty());
}

TEST_CASE("this machine has CPUs and memory") {
  const Topology t = read_topology();
  CHECK(t.cpus_online >= 1);
  CHECK(t.memory_bytes > 0);
}
