#pragma once
#include <cstddef>
#include <memory>
#include <span>

#include "libcore/base/view.h"
#include "libcore/embedding/array_embedding.h"
#include "tools/robe-compress/columns/click_batch.h"
#include "tools/robe-compress/steps/batch_trainer.h"

namespace frugal::robe {

/// One array of embeddings that ranks step together: each of its numbers by the sum of a step's
/// gradients, added up in an order that does not depend on the number of ranks. All functions are
/// called by all ranks. A step is add() for each of this rank's mini-batches, hand_over() and
/// step(); between these exchanges go on beside the caller's work.
class JointArray {
 public:
  virtual ~JointArray() = default;
  /// Brings the numbers that this rank's mini-batches of the next step need.
  virtual void bring(std::span<const ClickBatch> batches) = 0;
  /// The same before a step has begun, of the step after it: what that one leaves as it is comes
  /// while it goes on, the rest behind it.
  virtual void bring_ahead(std::span<const ClickBatch> batches) = 0;
  /// The gradient of the next mini-batch: [batch.size, tables * dim].
  virtual void add(const ClickBatch& batch, MatrixView<const float> gradient) = 0;
  /// That was the last of this rank's.
  virtual void hand_over() = 0;
  virtual void step(float rate) = 0;
  /// After step(): what was brought ahead is there.
  virtual void wait() {}
  /// This rank gets all numbers and their state as their owners have them.
  virtual void bring_together() {}
};

/// By setup.joint.exchange; automatic: whatever sends fewer bytes for mini-batches like `first`,
/// which is the same for all ranks.
std::unique_ptr<JointArray> make_joint_array(ArrayEmbedding& embedding, const TrainerSetup& setup,
                                             Communicator& ranks, const ClickBatch& first);

}  // namespace frugal::robe
