#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace frugal {

/// Working memory that is reused from call to call, because allocating it anew would take a good
/// part of a short call. Any number of threads may use it.
template <class T>
class ObjectPool {
 public:
  /// `make` creates an object when none is free.
  explicit ObjectPool(std::function<std::unique_ptr<T>()> make) : make_(std::move(make)) {}

  /// Calls body(object) with an object that no other call is using. If body throws, the object is
  /// destroyed.
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
