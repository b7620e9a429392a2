#include "libcore/threading/parallel.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <exception>

#include "libcore/threading/worker_pool.h"

namespace frugal {
namespace {

/// Remembers the first exception of a parallel region: letting one leave the region would end the
/// process.
class FirstException {
 public:
  template <class Body>
  void guard(const Body& body) {
    try {
      body();
    } catch (...) {
      if (!taken_.test_and_set()) exception_ = std::current_exception();
    }
  }
  void rethrow() const {
    if (exception_) std::rethrow_exception(exception_);
  }

 private:
  std::atomic_flag taken_;
  std::exception_ptr exception_;
};

/// 1 inside another loop.
int team_size() { return omp_in_parallel() || WorkerPool::is_at_work() ? 1 : num_threads(); }

}  // namespace

void parallel_blocks(std::size_t n, std::size_t least,
                     const std::function<void(std::size_t begin, std::size_t end)>& body) {
  const auto team = static_cast<std::size_t>(team_size());
  const std::size_t blocks = std::min(team, n / std::max<std::size_t>(1, least));
  if (blocks <= 1) {
    if (n != 0) body(0, n);
    return;
  }
  parallel_for(blocks, 1,
               [&](std::size_t block) { body(n * block / blocks, n * (block + 1) / blocks); });
}

void parallel_threads(const std::function<void(int thread)>& body) {
  FirstException first;
  const int threads = team_size();
#pragma omp parallel num_threads(threads) if (threads > 1)
  first.guard([&] { body(omp_in_parallel() && threads > 1 ? omp_get_thread_num() : 0); });
  first.rethrow();
}

void parallel_ranges(
    std::size_t n,
    const std::function<void(std::size_t begin, std::size_t end, int thread)>& body) {
  if (n == 0) return;
  const auto threads = static_cast<std::size_t>(team_size());
  if (threads == 1 || n == 1) return body(0, n, 0);  // a team that sleeps takes 50 us to wake
  parallel_threads([&](int thread) {
    const auto t = static_cast<std::size_t>(thread);
    const std::size_t begin = n / threads * t + std::min(t, n % threads);
    const std::size_t end = begin + n / threads + (t < n % threads ? 1 : 0);
    if (begin < end) body(begin, end, thread);
  });
}

void parallel_for(std::size_t n, std::size_t grain,
                  const std::function<void(std::size_t i)>& body) {
  WorkerPool::shared().run(n, grain, body);
}

}  // namespace frugal
