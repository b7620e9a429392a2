#include "libcore/parallel/background_operations.h"

#include <algorithm>
#include <utility>

namespace frugal {

BackgroundOperations::~BackgroundOperations() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::uint64_t BackgroundOperations::begin(std::function<void()> operation) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(operation));
  changed_.notify_all();
  return ++begun_;
}

void BackgroundOperations::wait(std::uint64_t number) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this, last = std::min(number, begun_)] { return done_ >= last; });
  if (failure_) std::rethrow_exception(failure_);
}

void BackgroundOperations::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ends_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    std::function<void()> operation = std::move(waiting_.front());
    waiting_.pop_front();
    const bool does = failure_ == nullptr;
    lock.unlock();
    std::exception_ptr failure;
    try {
      if (does) operation();
    } catch (...) {
      failure = std::current_exception();
    }
    operation = nullptr;  // what it holds goes before anybody hears that it is done
    lock.lock();
    if (failure) failure_ = failure;
    ++done_;
    changed_.notify_all();
  }
}

}  // namespace frugal
