#include "libcore/threading/num_threads.h"

#include <omp.h>

#include <algorithm>
#include <atomic>

#include "libcore/system/cores/auto_threads.h"

namespace frugal {
namespace {

std::atomic<int> configured_threads{0};

}  // namespace

void set_num_threads(int n) { configured_threads = std::max(1, n); }

int num_threads() {
  // A team smaller than asked for would leave pieces of the work undone, so the run-time library's
  // own limit (OMP_THREAD_LIMIT) holds here and it may not choose fewer by itself (OMP_DYNAMIC).
  static const int limit = [] {
    omp_set_dynamic(0);
    return omp_get_thread_limit();
  }();
  static const int chosen = choose_threads("/", usable_cpus()).threads;
  const int n = configured_threads;
  return std::min(n > 0 ? n : chosen, limit);
}

}  // namespace frugal
