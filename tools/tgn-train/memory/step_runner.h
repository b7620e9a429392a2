#pragma once
#include <cstddef>
#include <vector>

#include "libcore/nn/row_store.h"
#include "tools/tgn-train/memory/device_steps.h"
#include "tools/tgn-train/memory/memory_records.h"
#include "tools/tgn-train/network/tgn_model.h"

namespace frugal::tgn {

/// Runs planned steps: brings memory to the network and what the network makes of it back.
class StepRunner {
 public:
  /// All outlive the runner. memory: null where the model has none.
  StepRunner(TgnModel& model, MemoryRecords* memory, const StepFeatures& features)
      : model_(model), memory_(memory), features_(features) {}

  /// Loads what the plan reads and embeds its queries.
  MatrixView<const float> embed(const StepPlan& plan, TgnPass pass);
  /// After embed(), with the model's parameters of then: keeps what the plan says.
  void store(const StepPlan& plan);
  /// Both, of a plan without queries.
  void learn(const StepPlan& plan);
  /// Both, and an optimiser step on the plan's triples. Returns the sum of their losses; on a
  /// device that of steps before which have become known since the last call.
  double train(const StepPlan& plan, const TgnPass& pass, float rate);
  /// As train(), on the CPU, but the model is not stepped: its gradient is there to be taken.
  /// of_events: as TgnModel::backward_links() has them.
  double backward(const StepPlan& plan, const TgnPass& pass, std::size_t of_events = 0);
  /// Losses that no call of train() has returned yet.
  double collect() { return device_ == nullptr ? 0 : device_->collect(); }
  /// Seconds in which the device computed steps, since it was chosen; 0 on the CPU.
  double busy_seconds() const { return device_ == nullptr ? 0 : device_->busy_seconds(); }

  /// From now on steps run there; null: on the CPU.
  void compute_on(DeviceSteps* device) { device_ = device; }
  /// Losses come later than their steps.
  bool is_on_device() const { return device_ != nullptr; }

  /// From now on these are the features of the stream, which has grown.
  void use(const StepFeatures& features) { features_ = features; }

  TgnModel& model() { return model_; }
  const StepFeatures& features() const { return features_; }

 private:
  void make_message(const StepPlan& plan, const MemoryStore& store, float* out);

  TgnModel& model_;
  MemoryRecords* memory_;
  StepFeatures features_;
  DeviceSteps* device_ = nullptr;
  RowStore kept_;  ///< messages of updates that are kept as they were made
  RowStore times_;
  std::vector<float> message_, edge_;
};

/// Numbers of a message that a memory of that mode keeps.
std::size_t kept_message_dim(const TgnModel& model, bool as_made);

}  // namespace frugal::tgn
