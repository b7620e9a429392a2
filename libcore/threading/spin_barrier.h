#pragma once
#include <atomic>
#include <cstdint>
#include <exception>
#include <thread>

#include "libcore/system/limits.h"

namespace frugal {

/// A barrier for phases of microseconds. A thread waits by reading one word; std::barrier would
/// sleep in the kernel at every phase. Measured with two threads: below 1 us per phase. If the
/// others are late, a thread yields its CPU and then sleeps: other programs have the CPUs. With
/// more threads than CPUs it does so at once.
class SpinBarrier {
 public:
  explicit SpinBarrier(int threads)
      : threads_(threads), spins_(threads > usable_cpus().count ? 0 : kSpins) {}
  SpinBarrier(const SpinBarrier&) = delete;
  SpinBarrier& operator=(const SpinBarrier&) = delete;

  /// Returns when all threads have arrived; their earlier writes are then visible to all. Rethrows
  /// the exception that ended a thread's guard().
  void arrive_and_wait() {
    const std::uint64_t phase = phase_.load(std::memory_order_acquire);
    if (phase != kBroken && arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
      arrived_.store(0, std::memory_order_relaxed);
      phase_.store(phase + 1, std::memory_order_release);
      phase_.notify_all();
      return;
    }
    std::uint64_t now = phase;
    for (int spins = 0; now == phase && now != kBroken; ++spins) {
      if (spins < spins_) {
        pause();
      } else if (spins < spins_ + kYields) {
        std::this_thread::yield();
      } else {
        phase_.wait(phase, std::memory_order_acquire);
      }
      now = phase_.load(std::memory_order_acquire);
    }
    if (now == kBroken) std::rethrow_exception(exception_);
  }

  /// Calls a thread's body. If it throws, all threads that wait at the barrier, now or later, throw
  /// the exception too instead of waiting forever.
  template <class Body>
  void guard(const Body& body) {
    try {
      body();
    } catch (...) {
      if (!breaking_.test_and_set()) {
        exception_ = std::current_exception();
        phase_.store(kBroken, std::memory_order_release);
        phase_.notify_all();
      }
      throw;
    }
  }

  /// CPU instruction for a spinning wait.
  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

 private:
  static constexpr int kSpins = 4000, kYields = 4;
  static constexpr std::uint64_t kBroken = ~std::uint64_t{0};

  const int threads_;
  const int spins_;  ///< before a thread yields
  std::atomic_flag breaking_;
  std::exception_ptr exception_;
  alignas(64) std::atomic<int> arrived_{0};
  alignas(64) std::atomic<std::uint64_t> phase_{0};
};

}  // namespace frugal
