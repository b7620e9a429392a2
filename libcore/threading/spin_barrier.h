#pragma once
#include <atomic>
#include <thread>

namespace frugal {

/// A barrier for phases of microseconds: waits by reading one word and gives the CPU away only when
/// the others are late (more threads than CPUs), where std::barrier would sleep in the kernel at
/// every phase. Measured with two threads: below 1 us a phase.
class SpinBarrier {
 public:
  explicit SpinBarrier(int threads) : threads_(threads) {}
  SpinBarrier(const SpinBarrier&) = delete;
  SpinBarrier& operator=(const SpinBarrier&) = delete;

  /// Returns when all threads have arrived. What they wrote before is then visible to all.
  void arrive_and_wait() {
    const unsigned phase = phase_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
      arrived_.store(0, std::memory_order_relaxed);
      phase_.store(phase + 1, std::memory_order_release);
      return;
    }
    for (int spins = 0; phase_.load(std::memory_order_acquire) == phase; ++spins) {
      if (spins < kSpins) {
        pause();
      } else {
        std::this_thread::yield();
      }
    }
  }

 private:
  static constexpr int kSpins = 4000;

  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  const int threads_;
  alignas(64) std::atomic<int> arrived_{0};
  alignas(64) std::atomic<unsigned> phase_{0};
};

}  // namespace frugal
