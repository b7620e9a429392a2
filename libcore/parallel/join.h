#pragma once
#include <memory>

#include "libcore/parallel/communicator.h"

namespace frugal {

/// Joins the copies of this program that a launcher started (shard.h); a process that runs alone
/// gets single_process(). Several copies need libfrugal_mpi.so. Fails (unavailable) if it is
/// missing or MPI cannot start. Call it once.
std::unique_ptr<Communicator> join_ranks();

/// Ends the ranks after an error in this process. together: all ranks have come to the same error,
/// and leave MPI; otherwise all are aborted with that exit status. Does nothing if this process has
/// not joined others.
void end_ranks(int status, bool together);

}  // namespace frugal
