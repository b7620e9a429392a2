#pragma once
/// Batches on their way: one that is computed, one that is copied, one that is filled.
#include <array>

#include "libcore/device/cuda/engines/engine.h"
#include "libcore/device/cuda/kernels/interactions.h"

namespace frugal::cuda {

/// What a batch's place has besides its arrays.
struct BatchSlot {
  PinnedArray<RunSums> sums;  ///< after this batch's step
  Event copied, done;
  std::uint64_t step = 0;  ///< that it holds, from 1; 0: none

  /// Until the step that has the place is done.
  void wait() const {
    if (step != 0) done.wait();
  }
};

/// The places take turns; Slot is a BatchSlot.
template <class Slot>
class BatchSlots {
 public:
  /// That of the next batch, once it is free.
  Slot& next() {
    Slot& slot = slots_[submitted_ % kDepth];
    slot.wait();
    return slot;
  }
  /// The step of next() is on its way.
  void submitted(Slot& slot, const Stream& kernels) {
    slot.done.record(kernels);
    slot.step = ++submitted_;
  }
  /// Adds the sums of steps that are done and were not told of; wait: of all.
  void collect(bool wait, frugal_sums& sums) {
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

  auto begin() { return slots_.begin(); }
  auto end() { return slots_.end(); }

 private:
  static constexpr std::size_t kDepth = 3;
  std::array<Slot, kDepth> slots_;
  std::uint64_t submitted_ = 0, told_steps_ = 0;
  RunSums told_{};
};

}  // namespace frugal::cuda
