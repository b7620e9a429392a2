#pragma once
#include <string>

namespace frugal {

/// One of `count` parts of the work, 0 <= index < count.
struct Shard {
  int index = 0;
  int count = 1;
};

/// Rank and size that a launcher has set in the environment. `variable` is the variable that said
/// so; "" if there is none.
struct Launched {
  int rank = 0;
  int size = 1;
  std::string variable;
};

/// Copies started by srun, mpirun (Open MPI) or an MPI with PMI. Tasks of a SLURM array do not
/// count: they are separate jobs.
Launched launched_copies();

/// Parses --shard. "i/n": part i of n, from 0 (0/4 is the first of four). auto: the SLURM array,
/// whose task numbers must have no gaps, else launched_copies(), else 0/1. "" is 0/1. Fails (usage)
/// on anything else.
Shard resolve_shard(const std::string& option);

/// Replaces every {shard} in `path`: "out-{shard}.tzs" -> "out-02-of-16.tzs".
std::string shard_path(const std::string& path, const Shard& shard);

}  // namespace frugal
