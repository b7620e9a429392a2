#include "tools/hw-probe/machine/as_sbatch.h"

#include <algorithm>
#include <sstream>

namespace frugal::probe {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

/// SLURM refuses what its configuration of the node has not, which leaves some to the system.
constexpr double kMemoryShare = 0.9;

std::uint64_t memory_bytes(const Machine& machine) {
  std::uint64_t bytes = machine.topology.memory_bytes;
  for (const MemoryLimit& limit : machine.memory) bytes = std::min(bytes, limit.limit);
  return bytes;
}

std::size_t usable_gpus(const Machine& machine) {
  std::size_t gpus = 0;
  for (const AcceleratorFinding& accelerator : machine.accelerators) {
    if (accelerator.usable && accelerator.kind == "cuda") gpus += accelerator.devices.size();
  }
  return gpus;
}

}  // namespace

std::string machine_sbatch(const Machine& machine, int nodes) {
  const std::size_t gpus = usable_gpus(machine), ranks = std::max<std::size_t>(1, gpus);
  const std::size_t cpus =
      std::max<std::size_t>(1, static_cast<std::size_t>(machine.cpus.count) / ranks);
  std::ostringstream text;
  text << "#SBATCH --nodes=" << nodes << "\n#SBATCH --ntasks-per-node=" << ranks << "\n";
  text << "#SBATCH --cpus-per-task=" << cpus << "\n";
  if (const std::uint64_t bytes = memory_bytes(machine); bytes != 0) {
    text << "#SBATCH --mem="
         << static_cast<std::uint64_t>(kMemoryShare * static_cast<double>(bytes)) / kMiB << "M\n";
  }
  if (gpus != 0) text << "#SBATCH --gpus-per-task=1\n";
  // Without B: the signal goes to srun's steps, which write a checkpoint. It would end a script
  // that has no trap for it.
  text << "#SBATCH --signal=USR1@120\n#SBATCH --requeue\n";
  return text.str();
}

}  // namespace frugal::probe
