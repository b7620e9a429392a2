#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "libcore/threading/worker_pool.h"

namespace frugal {

/// A queue of items that worker threads prepare ahead while the caller works on the last `held` of
/// them. At most `depth` items are in preparation or ready, the caller's newest included. Items
/// come out in order and are reused, so that their buffers are allocated once. Results do not
/// depend on which thread prepares an item.
template <class Item>
class PreparedQueue {
 public:
  std::function<bool(Item&)> produce;  ///< begins the next item; false at the end
  std::function<void(Item&)> prepare;  ///< finishes an item; several run at the same time

  explicit PreparedQueue(std::size_t depth, std::size_t held = 1)
      : depth_(std::max<std::size_t>(depth, 1)), slots_(depth_ + held - 1) {}
  PreparedQueue(const PreparedQueue&) = delete;
  PreparedQueue& operator=(const PreparedQueue&) = delete;
  ~PreparedQueue() {
    while (in_work_ != 0) {
      if (!WorkerPool::shared().help()) std::this_thread::yield();
    }
  }

  /// The next item, or null at the end. It stays valid until next() has been called `held` more
  /// times. Rethrows the exception of its preparation.
  Item* next() {
    if (used_ < started_) ++used_;
    while (!exhausted_ && started_ < used_ + depth_) start_one();
    if (used_ == started_) return nullptr;
    Slot& slot = slots_[used_ % slots_.size()];
    if (!slot.ready.load(std::memory_order_acquire)) wait_for(slot);
    if (slot.error) std::rethrow_exception(slot.error);
    return &slot.item;
  }

  /// Seconds for which next() had to wait, including items that it prepared itself meanwhile.
  double waiting_seconds() const { return waiting_; }

 private:
  struct Slot {
    Item item{};
    std::atomic<bool> ready{false};
    std::exception_ptr error;
  };

  void start_one() {
    Slot& slot = slots_[started_ % slots_.size()];
    slot.ready = false;
    slot.error = nullptr;
    if (!produce(slot.item)) {
      exhausted_ = true;
      return;
    }
    WorkerPool::shared().post([this, &slot] {
      try {
        prepare(slot.item);
      } catch (...) {
        slot.error = std::current_exception();
      }
      {
        const std::lock_guard lock(mutex_);
        slot.ready.store(true, std::memory_order_release);
        changed_.notify_one();
      }
      --in_work_;
    });
    // Counted only after post(): the destructor waits for posted items only.
    ++started_;
    ++in_work_;
  }

  void wait_for(Slot& slot) {
    const auto began = std::chrono::steady_clock::now();
    while (!slot.ready.load(std::memory_order_acquire)) {
      if (WorkerPool::shared().help()) continue;
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return slot.ready.load(); });
    }
    waiting_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  }

  std::size_t depth_;
  std::vector<Slot> slots_;
  std::size_t started_ = 0;  ///< items begun
  std::size_t used_ = 0;     ///< index of the item that next() returned last
  bool exhausted_ = false;
  double waiting_ = 0;
  std::atomic<std::size_t> in_work_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace frugal
