#pragma once
#include <memory>

#include "tools/gnn-sample/network/gnn_loss.h"
#include "tools/gnn-sample/network/gnn_model.h"

namespace frugal::gnn {

/// Training of a model by one mini-batch after the other: on the CPU or on a device
/// (device_trainer.h).
class BatchTrainer {
 public:
  virtual ~BatchTrainer() = default;

  /// One step. Returns the sum over the seeds of what is known of losses and was not told: on a
  /// device, those of some steps before.
  virtual double train(const GnnBatch& batch, const BatchTargets& targets, const GnnPass& pass,
                       float rate) = 0;
  /// What was not told of all steps.
  virtual double collect() { return 0; }
  /// In which a device did steps that collect() told of, by its own clock.
  virtual double busy_seconds() const { return 0; }
  /// Whether steps are only under way when train() returns.
  virtual bool is_on_device() const { return false; }
  /// Whether it reads the features of batches; else it knows those of all nodes.
  virtual bool wants_rows() const { return true; }

  /// Model and optimiser's state are what was trained.
  virtual void bring_back() {}
  /// They were changed by somebody else.
  virtual void take_anew() {}
};

/// On this CPU. The model is prepared for training and outlives the trainer.
std::unique_ptr<BatchTrainer> make_cpu_trainer(GnnModel& model);

}  // namespace frugal::gnn
