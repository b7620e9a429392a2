#pragma once
#include <cstddef>
#include <vector>

#include "libcore/nn/row_store.h"
#include "tools/tgn-train/memory/device_steps.h"
#include "tools/tgn-train/memory/memory_records.h"
#include "tools/tgn-train/network/tgn_model.h"

namespace frugal::tgn {

/// Runs planned steps: copies memory to the network, and new states and messages back.
class StepRunner {
 public:
  /// All must outlive the runner. memory: null if the model has none.
  StepRunner(TgnModel& model, MemoryRecords* memory, const StepFeatures& features)
      : model_(model), memory_(memory), features_(features) {}

  /// Loads the records that the plan reads and embeds its queries. Returns [queries, memory_dim].
  MatrixView<const float> embed(const StepPlan& plan, TgnPass pass);
  /// Stores the plan's new states and messages. Must follow embed(), before parameters change.
  void store(const StepPlan& plan);
  /// Runs embed() and store() for a plan without queries.
  void learn(const StepPlan& plan);
  /// Runs embed(), store() and an optimiser step on the plan's triples. Returns the sum of their
  /// losses; on a device, the losses of earlier steps that have arrived since the last call.
  double train(const StepPlan& plan, const TgnPass& pass, float rate);
  /// As train() on the CPU, but without the optimiser step: TgnModel::take_gradient() returns the
  /// gradient. of_events: as in TgnModel::backward_links().
  double backward(const StepPlan& plan, const TgnPass& pass, std::size_t of_events = 0);
  /// Waits for all steps and returns the losses that train() has not returned yet; 0 on the CPU.
  double collect() { return device_ == nullptr ? 0 : device_->collect(); }
  /// Seconds of computing on the device since compute_on(); 0 on the CPU.
  double busy_seconds() const { return device_ == nullptr ? 0 : device_->busy_seconds(); }

  /// Runs later steps on the device; null: on the CPU.
  void compute_on(DeviceSteps* device) { device_ = device; }
  /// True if steps run on a device, so that losses arrive after their steps.
  bool is_on_device() const { return device_ != nullptr; }

  /// Replaces the features after the stream has grown.
  void use(const StepFeatures& features) { features_ = features; }

  TgnModel& model() { return model_; }
  const StepFeatures& features() const { return features_; }

 private:
  void make_message(const StepPlan& plan, const MemoryStore& store, float* out);

  TgnModel& model_;
  MemoryRecords* memory_;
  StepFeatures features_;
  DeviceSteps* device_ = nullptr;
  RowStore kept_;  ///< loaded messages of updates (UpdateRows::kept)
  RowStore times_;
  std::vector<float> message_, edge_;
};

/// Numbers in a stored message. as_made: as in UpdateRows::kept.
std::size_t kept_message_dim(const TgnModel& model, bool as_made);

}  // namespace frugal::tgn
