#pragma once
#include <cstdint>

#include "libcore/parallel/joint_gradient.h"
#include "tools/tgn-train/memory/plan_parts.h"
#include "tools/tgn-train/memory/stream_session.h"
#include "tools/tgn-train/steps/steps_ahead.h"

namespace frugal::tgn {

/// Steps of one memory that ranks share by nodes. All ranks plan all steps. The events of each fall
/// into as many parts as the memory has shards, and a rank computes those of its shards. The step
/// is made by the sum of their gradients, the mean over all events. So the model is the same to the
/// bit for 1, 2, 4, ... ranks at one number of shards.
class SharedSteps {
 public:
  /// session: of a shared memory; outlives the object. seed: of dropout.
  SharedSteps(StreamSession& session, std::uint64_t seed)
      : session_(session),
        shards_(session.shared()->shards()),
        seed_(seed),
        parts_(shards_.count()),
        gradient_(shards_.ranks()) {}

  /// With all ranks: the gradient of the step of that number, whose memory is then kept. Returns
  /// the sum of the losses of its events.
  double backward(const PlannedStep& step, std::uint64_t number);
  /// Steps by it.
  void step(float rate);
  /// Bytes that this rank has sent in a step, on the mean.
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
