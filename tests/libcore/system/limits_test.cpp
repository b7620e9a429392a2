#include "libcore/system/limits.h"

#include <doctest/doctest.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/base/error.h"
#include "libcore/system/cores/auto_threads.h"
#include "tests/libcore/system/scratch_folder.h"

using namespace frugal;

namespace {

constexpr const char* kV2Mount =
    "30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr const char* kV1Mounts =
    "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct\n"
    "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n";

/// 8 CPUs online and allowed, 16 GiB of memory with 12 GiB available.
void put_machine(const ScratchFolder& root) {
  root.put("sys/devices/system/cpu/online", "0-7\n");
  root.put("proc/self/status", "Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t0-7\n");
  root.put("proc/meminfo", "MemTotal:       16777216 kB\nMemAvailable:   12582912 kB\n");
}

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

bool has_limit(const UsableCpus& usable, const std::string& source, double cpus) {
  return std::any_of(usable.limits.begin(), usable.limits.end(), [&](const CpuLimit& limit) {
    return limit.source == source && limit.cpus == cpus;
  });
}

/// Environment variables that decide on threads; restored afterwards.
class CleanEnvironment {
 public:
  CleanEnvironment() { clear(); }
  ~CleanEnvironment() { clear(); }

 private:
  static void clear() {
    for (const char* name : {"FRUGAL_THREADS", "OMP_NUM_THREADS", "SLURM_CPUS_PER_TASK"}) {
      unsetenv(name);
    }
  }
};

ExitStatus status_of_threads(const std::string& option) {
  try {
    resolve_threads(option);
  } catch (const Error& error) {
    return error.status();
  }
  return ExitStatus::ok;
}

}  // namespace

TEST_CASE("affinity limits the usable CPUs") {
  const ScratchFolder root;
  put_machine(root);
  CHECK(usable_cpus(root.path()).count == 8);
  root.put("proc/self/status", "Cpus_allowed_list:\t2,4-5\n");
  const UsableCpus usable = usable_cpus(root.path());
  CHECK(usable.count == 3);
  CHECK(has_limit(usable, "online", 8));
  CHECK(has_limit(usable, "affinity", 3));
}

TEST_CASE("nothing known means one CPU and no memory figure") {
  const ScratchFolder root;
  CHECK(usable_cpus(root.path()).count == 1);
  CHECK(usable_cpus(root.path()).limits.empty());
  CHECK(memory_available(root.path()) == 0);
}

TEST_CASE("cgroup v2: the tightest quota of all ancestors holds, max is none") {
  const ScratchFolder root;
  put_machine(root);
  root.put("proc/self/mountinfo", kV2Mount);
  root.put("proc/self/cgroup", "0::/a/b/c\n");
  root.put("sys/fs/cgroup/a/cpu.max", "350000 100000\n");
  root.put("sys/fs/cgroup/a/b/cpu.max", "500000 100000\n");
  root.put("sys/fs/cgroup/a/b/c/cpu.max", "max 100000\n");
  const UsableCpus usable = usable_cpus(root.path());
  CHECK(usable.count == 4);
  CHECK(has_limit(usable, "cgroup v2 cpu.max of /a", 3.5));
  CHECK(has_limit(usable, "cgroup v2 cpu.max of /a/b", 5));
  CHECK(usable.limits.size() == 4);
  root.put("sys/fs/cgroup/a/cpu.max", "20000 100000\n");
  CHECK(usable_cpus(root.path()).count == 1);
}

TEST_CASE("a quota is rounded to the nearest number of CPUs, at least one") {
  const ScratchFolder root;
  put_machine(root);
  root.put("proc/self/mountinfo", kV2Mount);
  root.put("proc/self/cgroup", "0::/\n");
  const std::pair<const char*, int> quotas[] = {{"399000", 4}, {"350000", 4}, {"349000", 3},
                                                {"150000", 2}, {"110000", 1}, {"40000", 1}};
  for (const auto& quota : quotas) {
    root.put("sys/fs/cgroup/cpu.max", std::string(quota.first) + " 100000\n");
    CHECK_MESSAGE(usable_cpus(root.path()).count == quota.second, quota.first);
  }
  root.put("sys/fs/cgroup/cpu.max", "399000 100000\n");
  CHECK(has_limit(usable_cpus(root.path()), "cgroup v2 cpu.max of /", 3.99));
  root.put("proc/self/status", "Cpus_allowed_list:\t0-2\n");
  CHECK(usable_cpus(root.path()).count == 3);
}

TEST_CASE("cgroup v1: quotas of ancestors hold, -1 is none") {
  const ScratchFolder root;
  put_machine(root);
  root.put("proc/self/mountinfo", kV1Mounts);
  root.put("proc/self/cgroup", "5:memory:/job\n4:cpu,cpuacct:/slurm/job\n0::/\n");
  root.put("sys/fs/cgroup/cpu,cpuacct/slurm/cpu.cfs_quota_us", "250000\n");
  root.put("sys/fs/cgroup/cpu,cpuacct/slurm/cpu.cfs_period_us", "100000\n");
  root.put("sys/fs/cgroup/cpu,cpuacct/slurm/job/cpu.cfs_quota_us", "-1\n");
  root.put("sys/fs/cgroup/cpu,cpuacct/slurm/job/cpu.cfs_period_us", "100000\n");
  const UsableCpus usable = usable_cpus(root.path());
  CHECK(usable.count == 3);
  CHECK(has_limit(usable, "cgroup v1 cpu.cfs_quota_us of /slurm", 2.5));
}

TEST_CASE("a container that sees only its own group finds the limit at the mount point") {
  const ScratchFolder root;
  put_machine(root);
  root.put("proc/self/mountinfo",
           "32 31 0:29 /docker/4f2a /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n");
  root.put("proc/self/cgroup", "4:cpu:/docker/4f2a/inner\n");
  root.put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "400000\n");
  root.put("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  root.put("sys/fs/cgroup/cpu/inner/cpu.cfs_quota_us", "200000\n");
  root.put("sys/fs/cgroup/cpu/inner/cpu.cfs_period_us", "100000\n");
  CHECK(usable_cpus(root.path()).count == 2);
  SUBCASE("a path of the host that is not visible") {
    root.put("proc/self/cgroup", "4:cpu:/elsewhere\n");
    CHECK(usable_cpus(root.path()).count == 4);
    CHECK(cgroup_folders(root.path(), "cpu").front().name == "/");
  }
  SUBCASE("a path outside the namespace") {
    root.put("proc/self/mountinfo", kV2Mount);
    root.put("proc/self/cgroup", "0::/../sibling\n");
    root.put("sys/fs/cgroup/cpu.max", "100000 100000\n");
    CHECK(usable_cpus(root.path()).count == 1);
  }
}

TEST_CASE("memory left is the least of the machine and its groups, file pages can be given back") {
  const ScratchFolder root;
  put_machine(root);
  CHECK(memory_available(root.path()) == 12 * kGiB);
  root.put("proc/self/mountinfo", kV2Mount);
  root.put("proc/self/cgroup", "0::/job\n");
  root.put("sys/fs/cgroup/job/memory.max", std::to_string(4 * kGiB));
  root.put("sys/fs/cgroup/job/memory.current", std::to_string(3 * kGiB));
  root.put("sys/fs/cgroup/job/memory.stat",
           "anon 5\ninactive_file " + std::to_string(2 * kGiB) + "\n");
  CHECK(memory_available(root.path()) == 3 * kGiB);
  CHECK(memory_limits(root.path()).back().source == "cgroup v2 memory.max of /job");
  root.put("sys/fs/cgroup/job/memory.max", "max\n");
  CHECK(memory_available(root.path()) == 12 * kGiB);
}

TEST_CASE("cgroup v1 memory limits count; the huge default is none") {
  const ScratchFolder root;
  put_machine(root);
  root.put("proc/self/mountinfo", kV1Mounts);
  root.put("proc/self/cgroup", "5:memory:/job\n");
  root.put("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "9223372036854771712\n");
  CHECK(memory_limits(root.path()).size() == 1);
  root.put("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "1000000\n");
  root.put("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "1500000\n");
  CHECK(memory_available(root.path()) == 0);
}

TEST_CASE("memory.high slows a group down, so it is a limit") {
  const ScratchFolder root;
  put_machine(root);
  root.put("proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  root.put("proc/self/cgroup", "0::/job\n");
  root.put("sys/fs/cgroup/job/memory.max", std::to_string(8 * kGiB));
  root.put("sys/fs/cgroup/job/memory.high", std::to_string(4 * kGiB));
  root.put("sys/fs/cgroup/job/memory.current", std::to_string(kGiB));
  CHECK(memory_available(root.path()) == 3 * kGiB);
  CHECK(memory_limits(root.path())[1].source == "cgroup v2 memory.high of /job");
  CHECK(memory_limits(root.path())[2].source == "cgroup v2 memory.max of /job");
}

TEST_CASE("limits of address space and data count what the process has") {
  const ScratchFolder root;
  put_machine(root);
  root.put("proc/self/status", "VmSize:\t1048576 kB\nVmData:\t524288 kB\n");
  root.put("proc/self/limits",
           "Limit                     Soft Limit           Hard Limit           Units     \n"
           "Max data size             unlimited            unlimited            bytes     \n"
           "Max address space         2147483648           unlimited            bytes     \n");
  CHECK(memory_limits(root.path()).size() == 2);
  CHECK(memory_limits(root.path())[1].source == "RLIMIT_AS");
  CHECK(memory_available(root.path()) == kGiB);
  root.put("proc/self/limits", "Max data size             600000000  unlimited  bytes\n");
  CHECK(memory_limits(root.path())[1].source == "RLIMIT_DATA");
  CHECK(memory_available(root.path()) == 600000000 - kGiB / 2);
}

TEST_CASE("the memory of a SLURM job is a limit on this machine") {
  setenv("SLURM_MEM_PER_NODE", "100", 1);
  CHECK(memory_limits().back().source == "SLURM_MEM_PER_NODE");
  CHECK(memory_available() <= std::uint64_t{100} << 20);
  unsetenv("SLURM_MEM_PER_NODE");
  setenv("SLURM_MEM_PER_CPU", "50", 1);
  setenv("SLURM_CPUS_ON_NODE", "4", 1);
  CHECK(memory_limits().back().source == "SLURM_MEM_PER_CPU");
  CHECK(memory_limits().back().limit == std::uint64_t{200} << 20);
  unsetenv("SLURM_MEM_PER_CPU");
  unsetenv("SLURM_CPUS_ON_NODE");
  CHECK(installed_memory() > 0);
}

TEST_CASE("a recorded SLURM job has the memory that its variables say") {
  const ScratchFolder root;
  put_machine(root);
  constexpr char kVariables[] = "SLURM_CPUS_ON_NODE=4\0SLURM_MEM_PER_CPU=2048";
  root.put("proc/self/environ", std::string(kVariables, sizeof kVariables));
  CHECK(memory_limits(root.path()).back().source == "SLURM_MEM_PER_CPU");
  CHECK(memory_available(root.path()) == 8 * kGiB);
}

TEST_CASE("this machine: affinity is asked of the kernel") {
  const pid_t child = fork();
  if (child == 0) {
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    int first = 0;
    while (!CPU_ISSET(first, &set)) ++first;
    CPU_ZERO(&set);
    CPU_SET(first, &set);
    sched_setaffinity(0, sizeof set, &set);
    _exit(usable_cpus().count);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WEXITSTATUS(status) == 1);
  CHECK(memory_available() > 0);
}

TEST_CASE("--threads: number, FRUGAL_THREADS, OMP_NUM_THREADS, SLURM, the machine, in this order") {
  const CleanEnvironment clean;
  const int usable = usable_cpus().count;
  CHECK(resolve_threads("auto") == usable);
  setenv("SLURM_CPUS_PER_TASK", "1", 1);
  CHECK(resolve_threads("auto") == 1);
  setenv("SLURM_CPUS_PER_TASK", "4000", 1);
  CHECK(resolve_threads("auto") == usable);
  setenv("OMP_NUM_THREADS", "5,2", 1);
  CHECK(resolve_threads("auto") == 5);
  setenv("OMP_NUM_THREADS", "many", 1);
  CHECK(resolve_threads("auto") == usable);
  setenv("FRUGAL_THREADS", "3", 1);
  CHECK(resolve_threads("auto") == 3);
  CHECK(resolve_threads("17") == 17);
}

TEST_CASE("--threads refuses everything else as a mistake of use") {
  const CleanEnvironment clean;
  for (const char* bad : {"", "0", "-1", "2.5", "all", "4097", "1 "}) {
    CHECK_MESSAGE(status_of_threads(bad) == ExitStatus::usage, bad);
  }
  setenv("FRUGAL_THREADS", "0", 1);
  CHECK(status_of_threads("auto") == ExitStatus::usage);
}

TEST_CASE("what needs more memory than is left is refused before it is made") {
  CHECK_NOTHROW(check_memory("a page", 4096));
  CHECK_THROWS_WITH_AS(
      check_memory("f.txt: a range of 9 ids", std::uint64_t{1} << 50),
      doctest::Contains("f.txt: a range of 9 ids needs 1.0 PiB of memory, expected"), Error);
}

TEST_CASE("the peak of memory grows with what is touched") {
  const std::uint64_t before = peak_memory();
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  const Array<char> block(kBytes, 'x');
  CHECK(block[kBytes - 1] == 'x');
  CHECK(peak_memory() >= before + kBytes / 2);
}

TEST_CASE("on this machine all CPUs that the kernel allows are used, unless a group has fewer") {
  const CleanEnvironment clean;
  std::vector<unsigned long> mask((1 << 20) / (8 * sizeof(unsigned long)));
  const long bytes = syscall(SYS_sched_getaffinity, 0, mask.size() * sizeof mask[0], mask.data());
  REQUIRE(bytes > 0);
  int allowed = 0;
  for (const unsigned long word : mask) allowed += std::popcount(word);
  const UsableCpus usable = usable_cpus();
  CHECK(has_limit(usable, "affinity", allowed));
  double least = allowed;
  for (const CpuLimit& limit : usable.limits) least = std::min(least, limit.cpus);
  CHECK(usable.count == std::max(1L, std::lround(least)));
  CHECK(resolve_threads("auto") == choose_threads("/", usable).threads);
}
