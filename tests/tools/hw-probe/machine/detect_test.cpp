#include "tools/hw-probe/machine/detect.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "libcore/base/error.h"
#include "libcore/system/clock.h"
#include "libcore/system/cpu.h"
#include "tests/libcore/system/scratch_folder.h"
#include "tools/hw-probe/machine/as_json.h"
#include "tools/hw-probe/machine/as_sbatch.h"
#include "tools/hw-probe/machine/as_text.h"

using namespace frugal;
using namespace frugal::probe;

namespace {

const AcceleratorFinding& accelerator(const Machine& machine, const std::string& kind) {
  const auto found =
      std::find_if(machine.accelerators.begin(), machine.accelerators.end(),
                   [&](const AcceleratorFinding& finding) { return finding.kind == kind; });
  REQUIRE(found != machine.accelerators.end());
  return *found;
}

bool has_signal(const AcceleratorFinding& finding, const std::string& start, bool is_found) {
  return std::any_of(finding.signals.begin(), finding.signals.end(), [&](const Signal& signal) {
    return signal.name.compare(0, start.size(), start) == 0 && signal.found == is_found;
  });
}

void put_machine_json(const ScratchFolder& folder, const std::string& name,
                      const Machine& machine) {
  nlohmann::ordered_json json;
  describe_machine(ResultFields(json), machine);
  folder.put(name, json.dump());
}

}  // namespace

TEST_CASE("this machine: levels as the kernels see them, each with a reason") {
  const Machine machine = detect_machine("/");
  REQUIRE(machine.isa.size() == simd_support().size());
  for (std::size_t i = 0; i < machine.isa.size(); ++i) {
    CHECK(machine.isa[i].usable == simd_support()[i].usable);
    CHECK_FALSE(machine.isa[i].reason.empty());
  }
  CHECK(machine.cpus.count >= 1);
  CHECK(machine.topology.memory_bytes > 0);
  REQUIRE_FALSE(machine.devices.empty());
  CHECK(machine.devices.front().kind == "cpu");
  for (const AcceleratorFinding& finding : machine.accelerators) {
    CHECK_FALSE(finding.reason.empty());
    CHECK_FALSE(finding.signals.empty());
  }
}

TEST_CASE("detection takes less than 50 ms of CPU time where no driver is asked") {
  detect_machine("/");
  const double before = cpu_seconds();
  const Machine machine = detect_machine("/");
  if (has_signal(accelerator(machine, "cuda"), "driver", false)) {
    CHECK(cpu_seconds() - before < 0.05);
  }
}

TEST_CASE("an empty recording gives an answer, not an error") {
  const ScratchFolder root;
  const Machine machine = detect_machine(root.path());
  CHECK(machine.recorded);
  CHECK(machine.architecture == "unknown");
  CHECK(machine.cpus.count == 1);
  CHECK(machine.isa.empty());
  CHECK(machine_text(machine).find("unknown") != std::string::npos);
  CHECK(machine_variables(machine).find("HW_SIMD=none\n") != std::string::npos);
}

TEST_CASE("a job for SLURM asks for what the process may use") {
  Machine machine;
  machine.cpus.count = 24;
  machine.topology.memory_bytes = std::uint64_t{64} << 30;
  machine.memory = {{"MemAvailable", std::uint64_t{64} << 30, std::uint64_t{50} << 30},
                    {"cgroup", std::uint64_t{32} << 30, std::uint64_t{30} << 30}};
  const std::string end = "#SBATCH --signal=USR1@120\n#SBATCH --requeue\n";
  CHECK(machine_sbatch(machine) ==
        "#SBATCH --nodes=1\n#SBATCH --ntasks-per-node=1\n#SBATCH --cpus-per-task=24\n"
        "#SBATCH --mem=29491M\n" +
            end);
  machine.accelerators = {{"cuda", true, "", {}, {{"cuda", "a"}, {"cuda", "b"}}},
                          {"rocm", false, "", {}, {{"rocm", "c"}}}};
  machine.memory.clear();
  machine.topology.memory_bytes = 0;
  CHECK(machine_sbatch(machine) ==
        "#SBATCH --nodes=1\n#SBATCH --ntasks-per-node=2\n#SBATCH --cpus-per-task=12\n"
        "#SBATCH --gpus-per-task=1\n" +
            end);
}

TEST_CASE("a level whose lower level is missing is not usable") {
  const ScratchFolder root;
  root.put("proc/cpuinfo",
           "flags\t: cx16 popcnt sse4_1 sse4_2 ssse3 avx512f avx512bw avx512cd "
           "avx512dq avx512vl\n");
  const Machine machine = detect_machine(root.path());
  REQUIRE(machine.isa.size() == 5);
  CHECK(machine.isa[0].usable);
  CHECK_FALSE(machine.isa[1].usable);
  CHECK_FALSE(machine.isa[2].usable);
  CHECK(machine.isa[2].reason == "recorded: a lower level is missing");
  CHECK(machine.isa[3].reason == "recorded: /proc/cpuinfo lacks avx512_bf16");
}

TEST_CASE("a sound device of a graphics card is no accelerator") {
  const ScratchFolder root;
  root.put("sys/bus/pci/devices/0000:01:00.1/vendor", "0x10de\n");
  root.put("sys/bus/pci/devices/0000:01:00.1/class", "0x040300\n");
  CHECK(has_signal(accelerator(detect_machine(root.path()), "cuda"), "PCI", false));
  root.put("sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n");
  root.put("sys/bus/pci/devices/0000:01:00.0/class", "0x030000\n");
  CHECK(has_signal(accelerator(detect_machine(root.path()), "cuda"), "PCI", true));
}

TEST_CASE("ROCm: only nodes with SIMD units are graphics processors") {
  const ScratchFolder root;
  const std::string nodes = "sys/class/kfd/kfd/topology/nodes/";
  root.put("dev/kfd", "");
  root.put(nodes + "0/properties", "cpu_cores_count 16\nsimd_count 0\n");
  root.put(nodes + "1/properties", "cpu_cores_count 0\nsimd_count 416\n");
  const Machine machine = detect_machine(root.path());
  CHECK(accelerator(machine, "rocm").devices.size() == 1);
  CHECK_FALSE(accelerator(machine, "rocm").usable);
  CHECK(machine.devices.size() == 2);
}

TEST_CASE("Poplar's library is found where the linker looks") {
  const ScratchFolder root;
  root.put("proc/self/environ", std::string("LD_LIBRARY_PATH=/lib:/opt/poplar/lib\0", 38));
  CHECK(has_signal(accelerator(detect_machine(root.path()), "ipu"), "Poplar SDK", false));
  root.put("opt/poplar/lib/libpoplar.so", "");
  CHECK(has_signal(accelerator(detect_machine(root.path()), "ipu"), "Poplar SDK", true));
}

TEST_CASE("a processor's flag tells that the machine is virtual") {
  const ScratchFolder root;
  root.put("proc/cpuinfo", "processor\t: 0\nflags\t: fpu sse2\n");
  CHECK(detect_machine(root.path()).surroundings.virtualization.empty());
  root.put("proc/cpuinfo", "processor\t: 0\nflags\t: fpu hypervisor sse2\n");
  CHECK(detect_machine(root.path()).surroundings.virtualization == "yes (hypervisor flag)");
}

TEST_CASE("SLURM and OpenMP variables of a recording limit its CPUs") {
  const ScratchFolder root;
  root.put("sys/devices/system/cpu/online", "0-15\n");
  CHECK(detect_machine(root.path()).cpus.count == 16);
  root.put("proc/self/environ", std::string("SLURM_CPUS_PER_TASK=8\0OMP_NUM_THREADS=4,2\0", 42));
  const Machine machine = detect_machine(root.path());
  CHECK(machine.cpus.count == 4);
  CHECK(machine.cpus.limits.back().source == "OMP_NUM_THREADS");
}

TEST_CASE("two results differ by what changed, not by free memory") {
  const ScratchFolder folder;
  Machine machine = detect_machine("/");
  put_machine_json(folder, "a", machine);
  machine.memory_available += 4096;
  put_machine_json(folder, "b", machine);
  CHECK(machine_differences(folder.file("a"), folder.file("b")).empty());
  const int cpus = machine.cpus.count;
  machine.cpus.count = cpus + 1;
  machine.cpus.limits.insert(machine.cpus.limits.begin(), {"new", 7});
  put_machine_json(folder, "b", machine);
  CHECK(machine_differences(folder.file("a"), folder.file("b")) ==
        "cpus_usable: " + std::to_string(cpus) + " -> " + std::to_string(cpus + 1) +
            "\ncpu_limits[new].cpus: missing -> 7.0\ncpu_limits[new].source: missing -> \"new\"\n");
}

TEST_CASE("--diff refuses what detect did not write") {
  const ScratchFolder folder;
  put_machine_json(folder, "good", detect_machine("/"));
  for (const char* content : {"", "{", "[]", "{\"a\": 1}"}) {
    folder.put("bad", content);
    try {
      machine_differences(folder.file("good"), folder.file("bad"));
      CHECK(false);
    } catch (const Error& error) {
      CHECK(error.status() == ExitStatus::bad_input);
    }
  }
  try {
    machine_differences(folder.file("none"), folder.file("good"));
    CHECK(false);
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::cannot_open);
  }
}
