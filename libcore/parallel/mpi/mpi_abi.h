#pragma once
/// What libfrugal_mpi.so gives to the tools. MPI has no binary interface before version 5: the
/// plug-in is compiled with the site's own compiler wrapper, and the tools need no MPI.
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FRUGAL_MPI_ABI 4U

struct frugal_mpi_place {
  int32_t rank, ranks;
  int32_t machines;   /**< on which the ranks run */
  int32_t local_rank; /**< which of its machine's, 0 first */
  int32_t any_thread; /**< whether calls may come from any thread, one at a time */
};

/** How long an operation waits for other ranks before it asks which of them are still there: also
    ranks that compute answer. Where any_thread is not said they could not, and waits have no end.
 */
struct frugal_mpi_patience {
  double seconds; /**< 0: for ever */
  /** Is given those that do not answer, `count` of them, and ends all ranks. */
  void (*lost)(const int32_t* ranks, int32_t count);
  /** Ranks wait in exchanges that do not belong together, so that none of them can end. Is given
      two ranks and their exchanges, in words, and ends all ranks. */
  void (*apart)(const char* exchanges);
};

/** All calls come one at a time, and from the thread that joined unless any_thread is said. A
    failure ends all ranks, with MPI's words. Those that wait leave the core to other threads. */
struct frugal_mpi {
  uint32_t abi;
  const char* library; /**< "Open MPI 4.1.4", known from the beginning */
  /** Begins MPI. 0, or not: then MPI cannot begin here. */
  int (*join)(struct frugal_mpi_place* place, const struct frugal_mpi_patience* patience);
  void (*swap)(int32_t partner, const void* mine, uint64_t my_bytes, void* theirs,
               uint64_t their_bytes);
  void (*all_gather)(const void* mine, uint64_t bytes, void* all);
  void (*broadcast)(void* data, uint64_t bytes, int32_t root);
  /** Ends all ranks with that exit status; this one, whatever becomes of the others. */
  void (*abort)(int32_t status);
  /** Ends MPI, when all ranks do so. */
  void (*leave)(void);
};

/** The only symbol that is exported. */
const struct frugal_mpi* frugal_mpi_entry(void);

#ifdef __cplusplus
}
#endif
