#pragma once
#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "libcore/threading/parallel.h"

namespace frugal {

/// A pipeline of three stages over any number of items, on num_threads() threads and in bounded
/// memory. produce(item) fills the next item and returns false if there is none. transform(item)
/// runs for several items at the same time. consume(item) receives the items in the order of their
/// production.
///
/// produce and consume are each called by one thread at a time, but not always the same. `depth`
/// items exist and are reused, so their buffers are allocated once. Results do not depend on the
/// number of threads. The exception of the earliest failing item is rethrown after the items before
/// it have been consumed.
template <class Item>
class OrderedPipeline {
 public:
  std::function<bool(Item&)> produce;
  std::function<void(Item&)> transform;
  std::function<void(Item&)> consume;
  /// Gives consume() a thread of its own, for a consumer that waits for others, such as a pipe's
  /// reader.
  bool consume_aside = false;

  void run(std::size_t depth) {
    slots_ = std::vector<Slot>(std::max<std::size_t>(depth, 1));
    {
      std::jthread aside;
      if (consume_aside) aside = std::jthread([this] { work_aside(); });
      parallel_threads([this](int) { work(); });
    }
    if (error_) std::rethrow_exception(error_);
  }

 private:
  enum class Stage { empty, transforming, ready };
  struct Slot {
    Item item{};
    Stage stage = Stage::empty;
    /// from produce or transform; rethrown when the item is due to be consumed
    std::exception_ptr error;
  };

  Slot& slot(std::size_t sequence) { return slots_[sequence % slots_.size()]; }
  bool can_consume() {
    return !consuming_ && consumed_ < produced_ && slot(consumed_).stage == Stage::ready;
  }
  bool can_produce() const {
    return !producing_ && !exhausted_ && produced_ - consumed_ < slots_.size();
  }
  bool finished() const { return stopped_ || (exhausted_ && consumed_ == produced_); }

  /// Loop of a thread: it runs whichever stage can run next. Consuming has priority, so that memory
  /// is freed early.
  void work() {
    std::unique_lock lock(mutex_);
    while (!finished()) {
      if (!consume_aside && can_consume()) {
        consume_one(lock);
      } else if (can_produce()) {
        produce_one(lock);
      } else {
        changed_.wait(lock);
      }
    }
    changed_.notify_all();
  }

  void work_aside() {
    std::unique_lock lock(mutex_);
    while (!finished()) {
      if (can_consume()) {
        consume_one(lock);
      } else {
        changed_.wait(lock);
      }
    }
  }

  void consume_one(std::unique_lock<std::mutex>& lock) {
    Slot& s = slot(consumed_);
    consuming_ = true;
    lock.unlock();
    std::exception_ptr error = s.error;
    if (!error) error = caught([&] { consume(s.item); });
    lock.lock();
    consuming_ = false;
    if (error) {
      stop(error);
    } else {
      s.stage = Stage::empty;
      ++consumed_;
    }
    changed_.notify_all();
  }

  void produce_one(std::unique_lock<std::mutex>& lock) {
    Slot& s = slot(produced_);
    producing_ = true;
    lock.unlock();
    bool more = false;
    s.error = caught([&] { more = produce(s.item); });
    lock.lock();
    producing_ = false;
    // A failed production ends the input; its error is reported after the items before it.
    exhausted_ = !more;
    if (!more && !s.error) return changed_.notify_all();
    s.stage = Stage::transforming;
    ++produced_;
    changed_.notify_all();
    lock.unlock();
    if (!s.error) s.error = caught([&] { transform(s.item); });
    lock.lock();
    s.stage = Stage::ready;
    changed_.notify_all();
  }

  void stop(const std::exception_ptr& error) {
    error_ = error;
    stopped_ = true;
  }

  template <class Body>
  static std::exception_ptr caught(const Body& body) {
    try {
      body();
      return nullptr;
    } catch (...) {
      return std::current_exception();
    }
  }

  std::vector<Slot> slots_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t produced_ = 0;
  std::size_t consumed_ = 0;
  bool producing_ = false;
  bool consuming_ = false;
  bool exhausted_ = false;
  bool stopped_ = false;
  std::exception_ptr error_;
};

}  // namespace frugal
