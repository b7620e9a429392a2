#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace frugal {

/// Working memory that calls leave behind for the next: fresh memory costs a call that does little
/// a good part of its time. Any number of threads.
template <class T>
class ObjectPool {
 public:
  /// `make` is called where no object is free.
  explicit ObjectPool(std::function<std::unique_ptr<T>()> make) : make_(std::move(make)) {}

  /// Calls body(object) with one that no other call has; where body throws, it is not used again.
  template <class Body>
  void with(const Body& body) {
    std::unique_ptr<T> object = take();
    body(*object);
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(object));
  }

 private:
  std::unique_ptr<T> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        std::unique_ptr<T> object = std::move(free_.back());
        free_.pop_back();
        return object;
      }
    }
    return make_();
  }

  std::function<std::unique_ptr<T>()> make_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> free_;
};

}  // namespace frugal
