#pragma once
/// Slots for three batches in flight: one is computed, one is copied, one is filled.
#include <array>
#include <utility>

#include "libcore/device/cuda/engines/engine.h"
#include "libcore/device/cuda/engines/workspace.h"
#include "libcore/device/cuda/kernels/interactions.h"

namespace frugal::cuda {

/// Events and sums of a batch slot; derived slots add the batch's arrays.
struct BatchSlot {
  PinnedArray<RunSums> sums;  ///< sums after this batch's step
  Event copied;
  TimedEvent begun, done;
  bool began = false;      ///< `begun` is recorded, but the step is not submitted yet
  bool untold = false;     ///< the time from begun to done is not yet in the busy time
  std::uint64_t step = 0;  ///< number of the step in this slot, from 1; 0: none

  /// Makes the kernels' stream wait until the batch is copied.
  void begin(const Stream& kernels) {
    copied.hold(kernels);
    begun.record(kernels);
    began = true;
  }

  /// Waits until the step that uses the slot is done.
  void wait() const {
    if (step != 0) done.wait();
  }
};

/// A batch whose Arrays are in one block of pinned memory and, with the same layout, in one block
/// on the device.
template <class Arrays>
struct PackedSlot : BatchSlot {
  PinnedArray<char> pinned;
  DeviceArray<char> block;
  Arrays host{}, device{};

  /// Allocates both blocks. lay_out(Workspace&, Arrays&) places the arrays.
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
  /// Starts copying the batch to the device; the kernels' stream waits for it.
  void send(const Stream& copies, const Stream& kernels) {
    copies.copy(block.data(), pinned.data(), block.size());
    copied.record(copies);
    begin(kernels);
  }
};

/// Allocates a block of zeros for the arrays that lay_out(Workspace&) places.
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

/// A ring of kDepth slots. Slot must be derived from BatchSlot.
template <class Slot>
class BatchSlots {
 public:
  /// Slot for the next batch. Waits until it is free.
  Slot& next() {
    Slot& slot = slots_[submitted_ % kDepth];
    slot.wait();
    count_time(slot);
    return slot;
  }
  /// Marks the step in the slot of next() as submitted.
  void submitted(Slot& slot, const Stream& kernels) {
    slot.done.record(kernels);
    slot.untold = std::exchange(slot.began, false);
    slot.step = ++submitted_;
  }
  /// Adds the sums of steps that finished since the last call. wait: waits for all submitted steps
  /// first.
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

  /// Adds only the device's busy time of steps that finished since the last call.
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
