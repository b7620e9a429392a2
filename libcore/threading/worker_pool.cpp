#include "libcore/threading/worker_pool.h"

#include <omp.h>

#include <algorithm>
#include <chrono>

#include "libcore/threading/num_threads.h"
#include "libcore/threading/spin_barrier.h"

namespace frugal {
namespace {

/// True while the calling thread is inside a loop's item or a task.
thread_local bool at_work = false;

/// Scope in which loops run on the calling thread alone.
class AtWork {
 public:
  AtWork() : before_(at_work) { at_work = true; }
  ~AtWork() { at_work = before_; }
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;

 private:
  bool before_;
};

constexpr auto kWatch = std::chrono::microseconds(50);

}  // namespace

bool WorkerPool::is_at_work() { return at_work; }

WorkerPool& WorkerPool::shared() {
  static WorkerPool pool;
  return pool;
}

WorkerPool::~WorkerPool() {
  ends_ = true;
  wake();
  for (std::thread& worker : workers_) worker.join();
}

void WorkerPool::Loop::work() {
  const AtWork here;
  for (std::size_t begin;
       !failed.load(std::memory_order_relaxed) && (begin = next.fetch_add(step)) < n;) {
    try {
      for (std::size_t i = begin; i < std::min(n, begin + step); ++i) body(i);
    } catch (...) {
      if (!failed.exchange(true)) exception = std::current_exception();
    }
  }
}

void WorkerPool::run(std::size_t n, std::size_t step,
                     const std::function<void(std::size_t)>& body) {
  Loop loop{body, n, std::max<std::size_t>(1, step)};
  std::unique_lock alone(run_mutex_, std::defer_lock);
  const int threads = num_threads();
  if (n <= loop.step || threads == 1 || at_work || omp_in_parallel() || !alone.try_lock()) {
    loop.work();
  } else {
    grow(threads - 1);
    loop_ = &loop;
    wake();
    loop.work();
    loop_ = nullptr;
    while (helpers_ != 0) SpinBarrier::pause();
  }
  if (loop.exception) std::rethrow_exception(loop.exception);
}

void WorkerPool::grow(int workers) {
  if (wanted_ == workers) return;
  const std::lock_guard lock(grow_mutex_);
  wanted_ = workers;
  while (static_cast<int>(workers_.size()) < workers) {
    workers_.emplace_back([this, number = static_cast<int>(workers_.size())] { serve(number); });
  }
}

bool WorkerPool::help_with_loop() {
  if (loop_ == nullptr) return false;
  // Announced before the second look, so that a loop cannot end in between unseen.
  ++helpers_;
  Loop* loop = loop_;
  const bool there = loop != nullptr && loop->next < loop->n;
  if (there) loop->work();
  --helpers_;
  return there;
}

void WorkerPool::serve(int worker) {
  const AtWork here;
  auto idle_since = std::chrono::steady_clock::now();
  while (!ends_) {
    const std::uint32_t signal = signals_;
    if (worker < wanted_ && (help() || help_with_loop())) {
      idle_since = std::chrono::steady_clock::now();
      continue;
    }
    if (worker < wanted_ && std::chrono::steady_clock::now() - idle_since < kWatch) {
      SpinBarrier::pause();
      continue;
    }
    ++sleepers_;
    // A loop whose items are all taken is no work, and a new one sends a signal.
    if (!ends_ && signals_ == signal) signals_.wait(signal);
    --sleepers_;
    idle_since = std::chrono::steady_clock::now();
  }
}

void WorkerPool::wake() {
  ++signals_;
  if (sleepers_ != 0) signals_.notify_all();
}

void WorkerPool::post(std::function<void()> task) {
  {
    const std::lock_guard lock(task_mutex_);
    tasks_.push_back(std::move(task));
    ++tasks_waiting_;
  }
  if (num_threads() == 1) return;
  grow(num_threads() - 1);
  wake();
}

bool WorkerPool::help() {
  if (tasks_waiting_ == 0) return false;
  std::function<void()> task;
  {
    const std::lock_guard lock(task_mutex_);
    if (tasks_.empty()) return false;
    task = std::move(tasks_.front());
    tasks_.pop_front();
    --tasks_waiting_;
  }
  const AtWork here;
  task();
  return true;
}

}  // namespace frugal
