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

/// Threads that help with loops, and run tasks in the background. A worker takes a task before it
/// looks for a loop. A loop ends when its last item is done, however many workers helped, so it
/// never waits for a worker that is busy elsewhere. No more than num_threads() threads run at a
/// time. Workers spin for about 50 us before they sleep.
class WorkerPool {
 public:
  /// The pool of the process, which parallel_for() uses.
  static WorkerPool& shared();
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Calls body(i) for i in [0, n), `step` consecutive items at a time, on the calling thread and
  /// num_threads() - 1 workers. After an exception, which is rethrown, no more items begin. Inside
  /// a loop or a task, or while another thread's loop runs, the calling thread does all items.
  void run(std::size_t n, std::size_t step, const std::function<void(std::size_t)>& body);

  /// Adds a background task, which must not throw. With one thread only help() runs it.
  void post(std::function<void()> task);
  /// Runs the oldest task that has not begun; false if there is none.
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
  std::atomic<int> wanted_{0};   ///< workers with a higher number do not help
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
