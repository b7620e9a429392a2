#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "libcore/device/engine.h"
#include "libcore/nn/optimizer.h"
#include "tools/tgn-train/network/tgn_model.h"

namespace frugal::tgn {

/// A model's parameters and the optimiser's state as engines of devices know them
/// (libcore/device/engine_kinds.md), and which of both copies is the newer one.
class EngineModel {
 public:
  /// The model outlives the object. optimizer: nothing where nothing is trained. message_time:
  /// gradients reach the time encodings of messages (UpdateRows::time_learns).
  EngineModel(TgnModel& model, const std::optional<OptimizerOptions>& optimizer, bool message_time);

  /// Of the kind of engines: how the network is built.
  EngineSettings settings() const;

  /// To the engine, unless it has them.
  void bring(DeviceEngine& engine);
  /// Back, where the engine has trained them.
  void bring_back(DeviceEngine& engine);
  /// The model has other numbers than the engine.
  void changed() { is_there_ = is_ahead_ = false; }

  /// Counts a step, which the engine is then told to make with these numbers: rates and epsilons of
  /// network and updater, the dropout key of each layer. They are good until the next call.
  std::span<const double> count_step(const StepPlan& plan, const TgnPass& pass, float rate);

 private:
  void visit_network(const ParameterVisit& visit);
  bool times_have_state() const;
  // has_state: of vectors that learn.
  ParameterVisit setting(DeviceEngine& engine, std::uint64_t& steps, bool has_state = true) const;
  ParameterVisit getting(DeviceEngine& engine, std::uint64_t steps, bool has_state = true) const;
  void add_scale(float rate, std::uint64_t step);

  TgnModel& model_;
  std::optional<OptimizerOptions> optimizer_;
  bool message_time_;
  bool is_there_ = false;                        ///< the engine has the model
  bool is_ahead_ = false;                        ///< and has trained it since
  std::uint64_t steps_ = 0, updater_steps_ = 0;  ///< that the optimiser has done
  std::vector<double> numbers_;
};

}  // namespace frugal::tgn
