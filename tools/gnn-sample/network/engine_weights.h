#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "libcore/device/engine.h"
#include "tools/gnn-sample/network/gnn_model.h"

namespace frugal::gnn {

/// A model's parameters, running moments and optimiser's state as engines of devices know them
/// (libcore/device/engine_kinds.md), and which of both copies is the newer one.
class EngineWeights {
 public:
  /// The model is prepared for training and outlives the object.
  EngineWeights(GnnModel& model, const OptimizerOptions& optimizer);

  /// Of the kind of engines: how the network is built and stepped.
  EngineSettings settings() const;

  /// To the engine, unless it has them.
  void bring(DeviceEngine& engine);
  /// Back, where the engine has trained them.
  void bring_back(DeviceEngine& engine);
  /// The model has other numbers than the engine.
  void changed() { is_there_ = is_ahead_ = false; }
  /// Rate and epsilon of one more step, which the engine is told to make.
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
