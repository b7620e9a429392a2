#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "libcore/parallel/joint_gradient.h"
#include "tools/gnn-sample/network/gnn_loss.h"
#include "tools/gnn-sample/network/gnn_model.h"

namespace frugal::gnn {

/// Steps by the mean gradient of several mini-batches, which the ranks share (JointGradient). Each
/// mini-batch is normalised by its own moments; the running ones move by the mean of what each
/// mini-batch would move them.
class JointStep {
 public:
  /// The model is prepared for training; both outlive the object.
  JointStep(GnnModel& model, Communicator& ranks);

  /// Figures of a step, summed over all its mini-batches.
  struct Figures {
    double loss_sum = 0;  ///< over the seeds
    double seeds = 0, edges = 0, nodes = 0;
  };

  /// One of this rank's mini-batches. figures: all but the loss.
  void add(const GnnBatch& batch, const BatchTargets& targets, const GnnPass& pass,
           Figures figures);
  /// Steps, with all ranks. batches: of the step, of all ranks.
  Figures take(std::uint64_t batches, float rate);

 private:
  GnnModel& model_;
  std::unique_ptr<GnnRoom> room_;
  RowStore loss_gradient_;
  std::vector<float> running_;  ///< moments before the step
  JointGradient sum_;
};

}  // namespace frugal::gnn
