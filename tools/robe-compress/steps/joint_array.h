#pragma once
#include <cstddef>
#include <memory>
#include <span>

#include "libcore/base/view.h"
#include "libcore/embedding/array_embedding.h"
#include "tools/robe-compress/columns/click_batch.h"
#include "tools/robe-compress/steps/batch_trainer.h"

namespace frugal::robe {

/// An array of embeddings that ranks step together. Each number is stepped by the sum of a step's
/// gradients, which are added in an order that does not depend on the number of ranks. All
/// functions are collective. A step is add() for each of this rank's mini-batches, hand_over() and
/// step(). Exchanges run concurrently with the caller's work in between.
class JointArray {
 public:
  virtual ~JointArray() = default;
  /// Fetches the numbers that this rank's mini-batches of the next step read.
  virtual void bring(std::span<const ClickBatch> batches) = 0;
  /// Fetches ahead, before a step, the numbers for the step after it. Numbers that the step does
  /// not change arrive during it, the others after it.
  virtual void bring_ahead(std::span<const ClickBatch> batches) = 0;
  /// Adds the gradient of the next mini-batch, [batch.size, tables * dim].
  virtual void add(const ClickBatch& batch, MatrixView<const float> gradient) = 0;
  /// Must follow the last add() of this rank.
  virtual void hand_over() = 0;
  virtual void step(float rate) = 0;
  /// Waits, after step(), for the numbers fetched ahead.
  virtual void wait() {}
  /// Gathers all numbers and their optimiser state from their owners on this rank.
  virtual void bring_together() {}
};

/// Makes the array for setup.joint.exchange; automatic: whichever sends fewer bytes for
/// mini-batches like `first`, which must be the same on all ranks.
std::unique_ptr<JointArray> make_joint_array(ArrayEmbedding& embedding, const TrainerSetup& setup,
                                             Communicator& ranks, const ClickBatch& first);

}  // namespace frugal::robe
