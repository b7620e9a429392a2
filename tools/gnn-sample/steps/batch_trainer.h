#pragma once
#include <memory>

#include "tools/gnn-sample/inputs/trained_rows.h"
#include "tools/gnn-sample/network/gnn_loss.h"
#include "tools/gnn-sample/network/gnn_model.h"

namespace frugal::gnn {

/// Trains a model on one mini-batch after another, on the CPU or on a device (device_trainer.h).
class BatchTrainer {
 public:
  virtual ~BatchTrainer() = default;

  /// Trains one step. Returns the sum of losses over seeds that has become known since the last
  /// call. On a device these are the losses of earlier steps.
  virtual double train(const GnnBatch& batch, const BatchTargets& targets, const GnnPass& pass,
                       float rate) = 0;
  /// Waits for all steps, and returns the sum of the losses not returned yet.
  virtual double collect() { return 0; }
  /// Seconds that a device needed, by its own clock, for the steps whose losses were returned.
  virtual double busy_seconds() const { return 0; }
  /// True if train() returns before its step is finished.
  virtual bool is_on_device() const { return false; }
  /// True if it reads the features in batches; false if it has those of all nodes.
  virtual bool wants_rows() const { return true; }

  /// Copies the trained parameters and the optimiser's state to the model.
  virtual void bring_back() {}
  /// Notes that the model or the optimiser's state was changed elsewhere.
  virtual void take_anew() {}
};

/// Makes a trainer on the CPU. The model must be prepared for training and outlive the trainer.
/// rows: an embedding to train with the model, likewise; its columns are the last of the features.
/// Null: none.
std::unique_ptr<BatchTrainer> make_cpu_trainer(GnnModel& model, TrainedRows* rows = nullptr);

}  // namespace frugal::gnn
