#pragma once
/// Batches on their way: one that is computed, one that is copied, one that is filled.
#include <array>
#include <utility>

#include "libcore/device/cuda/engines/engine.h"
#include "libcore/device/cuda/engines/workspace.h"
#include "libcore/device/cuda/kernels/interactions.h"

namespace frugal::cuda {

/// What a batch's place has besides its arrays.
struct BatchSlot {
  PinnedArray<RunSums> sums;  ///< after this batch's step
  Event copied;
  TimedEvent begun, done;
  bool began = false;      ///< and was not submitted
  bool untold = false;     ///< the time from begun to done is still to be told
  std::uint64_t step = 0;  ///< that it holds, from 1; 0: none

  /// The kernels' stream goes on once the batch is copied.
  void begin(const Stream& kernels) {
    copied.hold(kernels);
    begun.record(kernels);
    began = true;
  }

  /// Until the step that has the place is done.
  void wait() const {
    if (step != 0) done.wait();
  }
};

/// A batch whose Arrays lie in one block of pinned memory and, laid out alike, in one of the
/// device.
template <class Arrays>
struct PackedSlot : BatchSlot {
  PinnedArray<char> pinned;
  DeviceArray<char> block;
  Arrays host{}, device{};

  /// lay_out(Workspace&, Arrays&)
  template <class LayOut>
  void make_room(const LayOut& lay_out) {
    Workspace counted(nullptr);
    lay_out(counted, host);
    pinned = PinnedArray<char>(counted.bytes());
    block = {};
    block = DeviceArray<char>(counted.bytes());
    Workspace on_host(pinned.data()), on_device(block.data());
    lay_out(on_host, host);
    lay_out(on_device, device);
  }
  /// Begins to copy the batch to the device; the kernels' stream waits for it.
  void send(const Stream& copies, const Stream& kernels) {
    copies.copy(block.data(), pinned.data(), block.size());
    copied.record(copies);
    begin(kernels);
  }
};

/// A block of zeros for what lay_out(Workspace&) lays out there.
template <class LayOut>
DeviceArray<char> zeros_for(const LayOut& lay_out, const Stream& stream) {
  Workspace counted(nullptr);
  lay_out(counted);
  DeviceArray<char> block(counted.bytes());
  stream.zero(block.data(), block.size());
  Workspace work(block.data());
  lay_out(work);
  return block;
}

/// The places take turns; Slot is a BatchSlot.
template <class Slot>
class BatchSlots {
 public:
  /// That of the next batch, once it is free.
  Slot& next() {
    Slot& slot = slots_[submitted_ % kDepth];
    slot.wait();
    count_time(slot);
    return slot;
  }
  /// The step of next() is on its way.
  void submitted(Slot& slot, const Stream& kernels) {
    slot.done.record(kernels);
    slot.untold = std::exchange(slot.began, false);
    slot.step = ++submitted_;
  }
  /// Adds the sums of steps that are done and were not told of; wait: of all.
  void collect(bool wait, frugal_sums& sums) {
    tell_time(wait, sums);
    const Slot* latest = nullptr;
    for (const Slot& slot : slots_) {
      if (slot.step <= told_steps_) continue;
      if (wait) slot.done.wait();
      if (!slot.done.is_done()) continue;
      if (latest == nullptr || slot.step > latest->step) latest = &slot;
    }
    if (latest == nullptr) return;
    const RunSums& all = *latest->sums.data();
    sums.loss += all.loss - told_.loss;
    sums.samples += all.samples - told_.samples;
    sums.steps += all.steps - told_.steps;
    told_ = all;
    told_steps_ = latest->step;
  }

  /// The same of the time that they took alone.
  void tell_time(bool wait, frugal_sums& sums) {
    for (Slot& slot : slots_) {
      if (slot.untold && wait) slot.done.wait();
      if (slot.untold && slot.done.is_done()) count_time(slot);
    }
    sums.busy_seconds += std::exchange(busy_seconds_, 0);
  }

  auto begin() { return slots_.begin(); }
  auto end() { return slots_.end(); }

 private:
  void count_time(Slot& slot) {
    if (!std::exchange(slot.untold, false)) return;
    busy_seconds_ += slot.done.seconds_since(slot.begun);
  }

  static constexpr std::size_t kDepth = 3;
  std::array<Slot, kDepth> slots_;
  std::uint64_t submitted_ = 0, told_steps_ = 0;
  RunSums told_{};
  double busy_seconds_ = 0;
};

}  // namespace frugal::cuda
