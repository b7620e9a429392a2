#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "libcore/device/engine.h"
#include "tools/gnn-sample/network/gnn_model.h"

namespace frugal::gnn {

/// A model's parameters, running moments and optimiser state in the layout of device engines
/// (libcore/device/engine_kinds.md). Records which of the two copies is newer.
class EngineWeights {
 public:
  /// The model must be prepared for training and outlive the object.
  EngineWeights(GnnModel& model, const OptimizerOptions& optimizer);

  /// Settings that tell an engine how the network is built and trained.
  EngineSettings settings() const;

  /// Copies the parameters to the engine, unless its copy is current.
  void bring(DeviceEngine& engine);
  /// Copies the parameters back if the engine has trained them.
  void bring_back(DeviceEngine& engine);
  /// Notes that the host's parameters have changed.
  void changed() { is_there_ = is_ahead_ = false; }
  /// Counts a step and returns its rate and epsilon for the engine.
  AdamScale count_step(float rate);

 private:
  std::size_t num_states() const;

  GnnModel& model_;
  OptimizerOptions optimizer_;
  bool is_there_ = false;  ///< the engine has the model
  bool is_ahead_ = false;  ///< and has trained it since
  std::uint64_t steps_ = 0;
};

}  // namespace frugal::gnn
