#include "libcore/system/cores/core_kinds.h"

#include <doctest/doctest.h>

#include "libcore/system/topology.h"
#include "tests/libcore/system/scratch_folder.h"

using namespace frugal;

namespace {

const std::string kCpus = "sys/devices/system/cpu/";

void put_kind_cache(const ScratchFolder& root, int cpu, int level, const std::string& size,
                    const std::string& shared) {
  const std::string folder =
      kCpus + "cpu" + std::to_string(cpu) + "/cache/index" + std::to_string(level) + "/";
  root.put(folder + "level", std::to_string(level) + "\n");
  root.put(folder + "type", level == 1 ? "Data\n" : "Unified\n");
  root.put(folder + "size", size + "\n");
  root.put(folder + "shared_cpu_list", shared + "\n");
}

/// CPUs [first, end) of one kind, each a core: highest frequency and L1.
void put_cores(const ScratchFolder& root, int first, int end, const std::string& kilohertz,
               const std::string& l1) {
  for (int cpu = first; cpu < end; ++cpu) {
    const std::string name = std::to_string(cpu);
    root.put(kCpus + "cpu" + name + "/topology/core_cpus_list", name + "\n");
    root.put(kCpus + "cpu" + name + "/cpufreq/cpuinfo_max_freq", kilohertz + "\n");
    put_kind_cache(root, cpu, 1, l1, name);
  }
}

/// The Core i9-12900K without hyper-threading: 8 P and 8 E cores, which share L2 in fours.
void put_i9_12900k(const ScratchFolder& root) {
  root.put(kCpus + "online", "0-15\n");
  root.put("sys/devices/cpu_core/cpus", "0-7\n");
  root.put("sys/devices/cpu_atom/cpus", "8-15\n");
  put_cores(root, 0, 8, "5100000", "48K");
  put_cores(root, 8, 16, "3900000", "32K");
  for (int cpu = 0; cpu < 16; ++cpu) {
    const std::string four = cpu < 12 ? "8-11" : "12-15";
    put_kind_cache(root, cpu, 2, cpu < 8 ? "1280K" : "2048K", cpu < 8 ? std::to_string(cpu) : four);
    put_kind_cache(root, cpu, 3, "30720K", "0-15");
  }
}

}  // namespace

TEST_CASE("P and E cores are two kinds with their own caches") {
  const ScratchFolder root;
  put_i9_12900k(root);
  const Topology t = read_topology(root.path());
  REQUIRE(t.core_kinds.size() == 2);
  const CoreKind &p = t.core_kinds[0], &e = t.core_kinds[1];
  CHECK(p.name == "performance");
  CHECK(p.cores == 8);
  CHECK(p.max_mhz == 5100);
  CHECK(p.speed == 1);
  CHECK(e.name == "efficiency");
  CHECK(e.cpus == std::vector<int>{8, 9, 10, 11, 12, 13, 14, 15});
  CHECK(e.speed == doctest::Approx(39 / (5100 / 78.741)));
  REQUIRE(p.caches.size() == 3);
  CHECK(p.caches[0].bytes == 48 << 10);
  CHECK(p.caches[0].instances == 8);
  CHECK(p.caches[1].bytes == 1280 << 10);
  REQUIRE(e.caches.size() == 3);
  CHECK(e.caches[0].bytes == 32 << 10);
  CHECK(e.caches[1].instances == 2);
  CHECK(e.caches[1].shared_by == 4);
  CHECK(e.caches[2].instances == 1);
  // The machine has both sizes of L1 and L2. One size stands for the fastest cores.
  CHECK(t.caches.size() == 5);
  CHECK(cache_bytes(t, 1) == 48 << 10);
  CHECK(cache_bytes(t, 2) == 1280 << 10);
  CHECK(cache_bytes(t, 3) == 30 << 20);
}

TEST_CASE("E cores without the L3 of the others are low-power cores") {
  const ScratchFolder root;
  root.put(kCpus + "online", "0-5\n");
  root.put("sys/devices/cpu_core/cpus", "0-1\n");
  root.put("sys/devices/cpu_atom/cpus", "2-5\n");
  put_cores(root, 0, 2, "4800000", "48K");
  put_cores(root, 2, 4, "3800000", "32K");
  put_cores(root, 4, 6, "2500000", "32K");
  for (int cpu = 0; cpu < 4; ++cpu) put_kind_cache(root, cpu, 3, "24576K", "0-3");
  const auto kinds = read_topology(root.path()).core_kinds;
  REQUIRE(kinds.size() == 3);
  CHECK(kinds[0].name == "performance");
  CHECK(kinds[1].name == "efficiency");
  CHECK(kinds[2].name == "low-power efficiency");
  CHECK(kinds[2].cpus == std::vector<int>{4, 5});
}

TEST_CASE("cores of one design are two kinds if one clock is more than a fifth slower") {
  const ScratchFolder root;
  root.put(kCpus + "online", "0-3\n");
  put_cores(root, 0, 1, "5200000", "48K");  // a favoured core
  put_cores(root, 1, 2, "5000000", "48K");
  put_cores(root, 2, 4, "5000000", "48K");
  CHECK(read_topology(root.path()).core_kinds.empty());
  put_cores(root, 2, 4, "3300000", "48K");
  const auto kinds = read_topology(root.path()).core_kinds;
  REQUIRE(kinds.size() == 2);
  CHECK(kinds[0].name == "kind 1");
  CHECK(kinds[0].cores == 2);
  CHECK(kinds[1].speed == doctest::Approx(33.0 / 52));
}

TEST_CASE("big.LITTLE: capacities are speeds, and parts have names") {
  const ScratchFolder root;
  root.put(kCpus + "online", "0-1\n");
  const std::string arm = "CPU implementer\t: 0x41\nCPU part\t: ";
  root.put("proc/cpuinfo",
           "processor\t: 0\n" + arm + "0xd05\n\nprocessor\t: 1\n" + arm + "0xd0b\n");
  root.put(kCpus + "cpu0/cpu_capacity", "397\n");
  root.put(kCpus + "cpu1/cpu_capacity", "1024\n");
  const auto kinds = read_topology(root.path()).core_kinds;
  REQUIRE(kinds.size() == 2);
  CHECK(kinds[0].name == "Cortex-A76");
  CHECK(kinds[0].cpus == std::vector<int>{1});
  CHECK(kinds[1].name == "Cortex-A55");
  CHECK(kinds[1].speed == 397.0 / 1024);
  CHECK(arm_core_name("0xfff") == "Arm core 0xfff");
}

TEST_CASE("cores are alike where the kernel describes the first only, or gives one capacity") {
  const ScratchFolder root;
  root.put(kCpus + "online", "0-1\n");
  root.put("proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd40\n");
  root.put(kCpus + "cpu0/cpu_capacity", "1024\n");
  CHECK(read_topology(root.path()).core_kinds.empty());
  root.put(kCpus + "cpu1/cpu_capacity", "1024\n");
  CHECK(read_topology(root.path()).core_kinds.empty());
}

TEST_CASE("equal capacities of P and E cores do not hide their frequencies") {
  const ScratchFolder root;
  put_i9_12900k(root);
  for (int cpu = 0; cpu < 16; ++cpu) {
    root.put(kCpus + "cpu" + std::to_string(cpu) + "/cpu_capacity", "1024\n");
  }
  CHECK(read_topology(root.path()).core_kinds[1].speed < 0.7);
}
