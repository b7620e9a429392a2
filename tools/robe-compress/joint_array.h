#pragma once
#include <cstddef>
#include <memory>
#include <span>

#include "libcore/base/view.h"
#include "libcore/embedding/parameter_array.h"
#include "tools/robe-compress/data/click_batch.h"
#include "tools/robe-compress/trainer.h"

namespace frugal::robe {

/// One array of embeddings that ranks step together: each of its numbers by the sum of a step's
/// gradients, added up in an order that does not depend on the number of ranks. All functions are
/// called by all ranks.
class JointArray {
 public:
  virtual ~JointArray() = default;
  /// Brings the numbers that this rank's mini-batches of a step need.
  virtual void bring(std::span<const ClickBatch> batches) = 0;
  /// The gradient of the next one of them: [batch.size, tables * dim].
  virtual void add(const ClickBatch& batch, MatrixView<const float> gradient) = 0;
  virtual void step(float rate) = 0;
  /// This rank gets all numbers and their state as their owners have them.
  virtual void bring_together() {}
};

/// By setup.joint.exchange; automatic: whatever sends fewer bytes for mini-batches like `first`,
/// which is the same for all ranks.
std::unique_ptr<JointArray> make_joint_array(ArrayEmbedding& embedding, const TrainerSetup& setup,
                                             Communicator& ranks, const ClickBatch& first);

}  // namespace frugal::robe
