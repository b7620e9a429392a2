#pragma once
#include <algorithm>
#include <cstdint>

#include "libcore/parallel/communicator.h"

namespace frugal::gnn {

/// How the mini-batches of epochs make steps, and which of them are this rank's. All are counted on
/// from epoch to epoch. In each of a step's rounds, as many for all ranks, a rank has one or none.
class StepDeal {
 public:
  StepDeal() = default;
  /// batches: of an epoch; accumulate: of a step, of all ranks.
  StepDeal(const Communicator& ranks, std::uint64_t batches, std::uint64_t accumulate)
      : batches_(batches),
        accumulate_(accumulate),
        part_(part_of_rank(ranks, accumulate)),
        rounds_((accumulate - 1) / static_cast<std::uint64_t>(ranks.size()) + 1) {}

  std::uint64_t steps_per_epoch() const { return (batches_ + accumulate_ - 1) / accumulate_; }
  std::uint64_t rounds_per_step() const { return rounds_; }
  std::uint64_t first_batch(std::uint64_t step) const {
    return step / steps_per_epoch() * batches_ + step % steps_per_epoch() * accumulate_;
  }
  /// Mini-batches of the step: fewer in the last of an epoch.
  std::uint64_t num_batches(std::uint64_t step) const {
    return std::min(accumulate_, (step / steps_per_epoch() + 1) * batches_ - first_batch(step));
  }
  bool is_mine(std::uint64_t batch) const { return part_.has(batch % batches_ % accumulate_); }
  /// Whether this rank has a mini-batch in that round, counted on from step to step.
  bool has(std::uint64_t round) const {
    const std::uint64_t batch = part_.begin + round % rounds_;
    return batch < std::min(part_.end, num_batches(round / rounds_));
  }

 private:
  std::uint64_t batches_ = 1, accumulate_ = 1;
  RankPart part_{0, 1};
  std::uint64_t rounds_ = 1;
};

}  // namespace frugal::gnn
