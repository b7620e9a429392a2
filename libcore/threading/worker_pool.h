#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace frugal {

/// Threads that wait to help: with loops, which end when their last item is done however many
/// threads came to help, and with tasks on the side, which a worker takes before it looks for a
/// loop. So a loop never waits for a worker that does something else, and nothing runs on more than
/// num_threads() threads. Workers watch for work some 50 us before they sleep.
class WorkerPool {
 public:
  /// That of parallel_for().
  static WorkerPool& shared();
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Calls body(i) for i in [0, n), `step` consecutive items at a time, on the calling thread and
  /// num_threads() - 1 workers. After an exception, which is rethrown, no more items are begun.
  /// Called inside a loop or a task, or while another thread's loop runs, it does all itself.
  void run(std::size_t n, std::size_t step, const std::function<void(std::size_t)>& body);

  /// A task on the side, which must not throw. With one thread only help() runs it.
  void post(std::function<void()> task);
  /// Runs the oldest task that nobody has begun; false: there is none.
  bool help();
  /// Whether the calling thread is inside a loop or a task.
  static bool is_at_work();

 private:
  struct Loop {
    const std::function<void(std::size_t)>& body;
    std::size_t n, step;
    std::atomic<std::size_t> next{0};
    std::atomic<bool> failed{false};
    std::exception_ptr exception = nullptr;

    void work();
  };

  WorkerPool() = default;
  void grow(int workers);
  void serve(int worker);
  bool help_with_loop();
  void wake();

  std::atomic<Loop*> loop_{nullptr};
  std::atomic<int> helpers_{0};  ///< threads that may use loop_
  std::atomic<int> wanted_{0};   ///< workers with a higher number stay away
  std::atomic<std::uint32_t> signals_{0};
  std::atomic<int> sleepers_{0};
  std::atomic<int> tasks_waiting_{0};
  std::atomic<bool> ends_{false};
  std::mutex run_mutex_;  ///< one loop at a time
  std::mutex task_mutex_;
  std::deque<std::function<void()>> tasks_;
  std::mutex grow_mutex_;
  std::vector<std::thread> workers_;
};

}  // namespace frugal
