#pragma once
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace frugal {

/// Runs operations in a thread of its own, in the order in which they were begun.
class BackgroundOperations {
 public:
  BackgroundOperations() : thread_([this] { serve(); }) {}
  /// Waits for all operations.
  ~BackgroundOperations();
  BackgroundOperations(const BackgroundOperations&) = delete;
  BackgroundOperations& operator=(const BackgroundOperations&) = delete;

  /// Queues an operation. Returns its number, counted from 1.
  std::uint64_t begin(std::function<void()> operation);
  /// Waits for the operations up to `number`. Rethrows the exception of the first one that failed;
  /// later operations are not run.
  void wait(std::uint64_t number);
  /// Whether it is called from inside an operation.
  bool is_this_thread() const { return std::this_thread::get_id() == thread_.get_id(); }

 private:
  void serve();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  std::uint64_t begun_ = 0, done_ = 0;
  bool ends_ = false;
  std::exception_ptr failure_ = nullptr;
  std::thread thread_;  ///< last: it uses the members above
};

}  // namespace frugal
