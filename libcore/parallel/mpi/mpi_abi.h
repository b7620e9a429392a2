#pragma once
/// Functions of libfrugal_mpi.so, the plug-in through which the tools use MPI. MPI has no binary
/// interface before version 5. The plug-in is therefore compiled with the site's own compiler
/// wrapper, and the tools themselves need no MPI.
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FRUGAL_MPI_ABI 4U

struct frugal_mpi_place {
  int32_t rank, ranks;
  int32_t machines;   /**< number of machines that the ranks run on */
  int32_t local_rank; /**< number among the ranks of its machine, from 0 */
  int32_t any_thread; /**< 1: any thread may call, one at a time; 0: only the one that joined */
};

/** How long an operation waits for other ranks before it asks which of them are alive. Ranks that
    compute answer, too. They cannot if any_thread is 0; waits are then unlimited. */
struct frugal_mpi_patience {
  double seconds; /**< 0: unlimited */
  /** Receives the `count` ranks that do not answer, and ends all ranks. */
  void (*lost)(const int32_t* ranks, int32_t count);
  /** Called in a deadlock: ranks wait in exchanges that do not match. Receives a text that names
      two ranks and their exchanges, and ends all ranks. */
  void (*apart)(const char* exchanges);
};

/** Functions of the plug-in. Call one at a time, and from the thread that joined unless any_thread
    is 1. A failure ends all ranks with MPI's message. Waiting leaves the core to other threads. */
struct frugal_mpi {
  uint32_t abi;
  const char* library; /**< "Open MPI 4.1.4"; valid before join() */
  /** Starts MPI. Returns 0, or another number if MPI cannot start here. */
  int (*join)(struct frugal_mpi_place* place, const struct frugal_mpi_patience* patience);
  void (*swap)(int32_t partner, const void* mine, uint64_t my_bytes, void* theirs,
               uint64_t their_bytes);
  void (*all_gather)(const void* mine, uint64_t bytes, void* all);
  void (*broadcast)(void* data, uint64_t bytes, int32_t root);
  /** Ends all ranks with that exit status; this one in any case. */
  void (*abort)(int32_t status);
  /** Leaves MPI; all ranks must call it. */
  void (*leave)(void);
};

/** The only exported symbol. */
const struct frugal_mpi* frugal_mpi_entry(void);

#ifdef __cplusplus
}
#endif
