#pragma once
/// What libfrugal_mpi.so gives to the tools. MPI has no binary interface before version 5: the
/// plug-in is compiled with the site's own compiler wrapper, and the tools need no MPI.
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FRUGAL_MPI_ABI 2U

struct frugal_mpi_place {
  int32_t rank, ranks;
  int32_t machines;   /**< on which the ranks run */
  int32_t local_rank; /**< which of its machine's, 0 first */
  int32_t any_thread; /**< whether calls may come from any thread, one at a time */
};

/** All calls come one at a time, and from the thread that joined unless any_thread is said. A
    failure ends all ranks, with MPI's words. Those that wait leave the core to other threads. */
struct frugal_mpi {
  uint32_t abi;
  const char* library; /**< "Open MPI 4.1.4", known from the beginning */
  /** Begins MPI. 0, or not: then MPI cannot begin here. */
  int (*join)(struct frugal_mpi_place* place);
  void (*swap)(int32_t partner, const void* mine, uint64_t my_bytes, void* theirs,
               uint64_t their_bytes);
  void (*all_gather)(const void* mine, uint64_t bytes, void* all);
  void (*broadcast)(void* data, uint64_t bytes, int32_t root);
  /** Ends all ranks with that exit status. */
  void (*abort)(int32_t status);
  /** Ends MPI, when all ranks do so. */
  void (*leave)(void);
};

/** The only symbol that is exported. */
const struct frugal_mpi* frugal_mpi_entry(void);

#ifdef __cplusplus
}
#endif
