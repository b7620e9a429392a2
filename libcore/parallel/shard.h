#pragma once
#include <string>

namespace frugal {

/// One of `count` parts of the work, 0 <= index < count.
struct Shard {
  int index = 0;
  int count = 1;
};

/// What a launcher says about this process, and the variable that said so ("" = nothing did).
struct Launched {
  int rank = 0;
  int size = 1;
  std::string variable;
};

/// Copies started by srun, mpirun (Open MPI) or an MPI with PMI. SLURM's arrays are jobs of their
/// own, not copies.
Launched launched_copies();

/// "i/n" (0/4 is the first of four), or auto: the SLURM array (its task numbers must be without
/// gaps), then launched_copies(), else 0/1. "" is 0/1. Fails (usage) on anything else.
Shard resolve_shard(const std::string& option);

/// `path` with every {shard} replaced: "out-{shard}.tzs" -> "out-02-of-16.tzs".
std::string shard_path(const std::string& path, const Shard& shard);

}  // namespace frugal
