#pragma once
#include <memory>

#include "libcore/parallel/communicator.h"

namespace frugal {

/// The ranks that a launcher started as copies of this program (shard.h), or this one alone. Loads
/// libfrugal_mpi.so where there are several. Fails (unavailable) where it is missing or cannot
/// begin. To be called once.
std::unique_ptr<Communicator> join_ranks();

/// Where an error ended this process's part and it has joined others: with `together` all have come
/// to the same end and leave; otherwise all are ended with that exit status.
void end_ranks(int status, bool together);

}  // namespace frugal
