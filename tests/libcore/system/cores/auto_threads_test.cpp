#include "libcore/system/cores/auto_threads.h"

#include <doctest/doctest.h>

#include "libcore/base/error.h"
#include "tests/libcore/system/scratch_folder.h"

using namespace frugal;

namespace {

/// CPUs [first, end) with their highest frequency; `threads` consecutive ones are a core.
void put_cpus(const ScratchFolder& root, int first, int end, int threads,
              const std::string& kilohertz) {
  for (int cpu = first; cpu < end; ++cpu) {
    const int core = cpu - (cpu - first) % threads;
    const std::string folder = "sys/devices/system/cpu/cpu" + std::to_string(cpu);
    root.put(folder + "/topology/core_cpus_list",
             std::to_string(core) + "-" + std::to_string(core + threads - 1) + "\n");
    root.put(folder + "/cpufreq/cpuinfo_max_freq", kilohertz + "\n");
  }
}

void put_variables(const ScratchFolder& root, std::string text) {
  for (char& c : text) c = c == ' ' ? '\0' : c;
  root.put("proc/self/environ", text);
}

}  // namespace

TEST_CASE("big cores alone are chosen where little ones would slow them down") {
  const ScratchFolder root;
  root.put("sys/devices/system/cpu/online", "0-7\n");
  put_cpus(root, 0, 4, 1, "900000");
  put_cpus(root, 4, 8, 1, "2400000");
  const ThreadChoice choice = automatic_threads(root.path());
  CHECK(choice.threads == 4);
  CHECK(choice.reason ==
        "4 threads at 1 times the speed of the fastest core do more than 8 at 0.38 times; work is "
        "split evenly, so the slowest thread sets the pace; computed, not measured");
  // On the little cores alone, all of them are as fast as the fastest.
  root.put("proc/self/status", "Cpus_allowed_list:\t0-3\n");
  CHECK(automatic_threads(root.path()).threads == 4);
  CHECK(automatic_threads(root.path()).reason == "one for each usable CPU");
  root.put("proc/self/status", "Cpus_allowed_list:\t0-4\n");  // 5 x 0.38 is more than 1 x 1
  CHECK(automatic_threads(root.path()).threads == 5);
}

TEST_CASE("threads that share a P core are as slow as E cores, so all CPUs are used") {
  const ScratchFolder root;
  root.put("sys/devices/system/cpu/online", "0-15\n");
  root.put("sys/devices/cpu_core/cpus", "0-7\n");
  root.put("sys/devices/cpu_atom/cpus", "8-15\n");
  put_cpus(root, 0, 8, 2, "5000000");
  put_cpus(root, 8, 16, 1, "3700000");
  const ThreadChoice all = automatic_threads(root.path());
  CHECK(all.threads == 16);
  CHECK(all.reason.starts_with("16 threads at 0.55 times"));
  CHECK(all.reason.find("do more than 4 at 1 times;") != std::string::npos);
  root.put("sys/devices/system/cpu/online", "0-11\n");  // four E cores: 12 x 0.55
  CHECK(automatic_threads(root.path()).threads == 12);
  put_cpus(root, 8, 16, 1, "1200000");  // 4 x 1 or 8 x 0.55, not 12 x 0.19
  CHECK(automatic_threads(root.path()).threads == 8);
  put_variables(root, "SLURM_CPUS_PER_TASK=2");
  CHECK(automatic_threads(root.path()).threads == 2);
  CHECK(automatic_threads(root.path()).reason == "one for each usable CPU");
}

TEST_CASE("variables decide before the machine does") {
  const ScratchFolder root;
  root.put("sys/devices/system/cpu/online", "0-7\n");
  CHECK(automatic_threads(root.path()).threads == 8);
  put_variables(root, "SLURM_CPUS_PER_TASK=6");
  CHECK(automatic_threads(root.path()).threads == 6);
  put_variables(root, "SLURM_CPUS_PER_TASK=6 OMP_NUM_THREADS=5,2");
  CHECK(automatic_threads(root.path()).reason == "OMP_NUM_THREADS");
  put_variables(root, "OMP_NUM_THREADS=5 FRUGAL_THREADS=3");
  CHECK(automatic_threads(root.path()).threads == 3);
  put_variables(root, "FRUGAL_THREADS=many");
  CHECK_THROWS_AS(automatic_threads(root.path()), Error);
}
