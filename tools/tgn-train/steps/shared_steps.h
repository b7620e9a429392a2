#pragma once
#include <cstdint>

#include "libcore/parallel/joint_gradient.h"
#include "tools/tgn-train/memory/plan_parts.h"
#include "tools/tgn-train/memory/stream_session.h"
#include "tools/tgn-train/steps/steps_ahead.h"

namespace frugal::tgn {

/// Training steps with one memory that the ranks share by nodes. Each step is divided into as many
/// parts as there are shards of the memory. For 4 shards, 2 ranks and a step of 8 events:
///
///     part = shard    0         1         2         3
///     events          0 1       2 3       4 5       6 7
///     memory pages    0 4 ...   1 5 ...   2 6 ...   3 7 ...    (see MemoryShards)
///     rank            0         0         1         1
///
///     1. Every rank plans the whole step and cuts it (PlanParts), without communication.
///     2. The records that a part reads are sent from their owners to its rank.
///     3. Each rank computes its parts one by one: updates, embeddings, losses and gradients.
///     4. The records that a part stores are sent to their owners.
///     5. The gradients of all parts are added up as a tree that depends on the parts only. Every
///        rank makes the same optimiser step.
///
/// Each part's gradient is already divided by the events of the step, so the sum is the mean over
/// all events. The model is the same to the bit for 1, 2, 4, ... ranks with one number of shards.
class SharedSteps {
 public:
  /// session: of a shared memory; must outlive the object. seed: of dropout.
  SharedSteps(StreamSession& session, std::uint64_t seed)
      : session_(session),
        shards_(session.shared()->shards()),
        seed_(seed),
        parts_(shards_.count()),
        gradient_(shards_.ranks()) {}

  /// Collective: computes the gradient of step `number` and stores its memory. Returns the sum of
  /// the losses of its events.
  double backward(const PlannedStep& step, std::uint64_t number);
  /// Collective: makes an optimiser step with that gradient.
  void step(float rate);
  /// Mean number of bytes that this rank sent in a step.
  double sent_bytes() const { return steps_ == 0 ? 0 : double(sent_) / double(steps_); }

 private:
  StreamSession& session_;
  const MemoryShards& shards_;
  std::uint64_t seed_;
  PlanParts parts_;
  JointGradient gradient_;
  std::uint64_t steps_ = 0, sent_ = 0;
};

}  // namespace frugal::tgn
