#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "libcore/device/engine.h"
#include "libcore/nn/optimizer.h"
#include "tools/tgn-train/network/tgn_model.h"

namespace frugal::tgn {

/// A model's parameters and optimiser state in the layout of device engines
/// (libcore/device/engine_kinds.md). Records which of the two copies is newer.
class EngineModel {
 public:
  /// The model must outlive the object. optimizer: empty if nothing is trained. message_time:
  /// gradients reach the time encodings of messages (UpdateRows::time_learns).
  EngineModel(TgnModel& model, const std::optional<OptimizerOptions>& optimizer, bool message_time);

  /// Settings that tell an engine how the network is built and trained.
  EngineSettings settings() const;

  /// Copies the parameters to the engine, unless its copy is current.
  void bring(DeviceEngine& engine);
  /// Copies the parameters back if the engine has trained them.
  void bring_back(DeviceEngine& engine);
  /// Notes that the host's parameters have changed.
  void changed() { is_there_ = is_ahead_ = false; }

  /// Counts a step and returns the numbers that the engine needs for it: learning rates and
  /// epsilons of network and updater, and the dropout key of each layer. Valid until the next call.
  std::span<const double> count_step(const StepPlan& plan, const TgnPass& pass, float rate);

 private:
  void visit_network(const ParameterVisit& visit);
  bool times_have_state() const;
  // has_state: the engine keeps optimiser state for vectors that learn.
  ParameterVisit setting(DeviceEngine& engine, std::uint64_t& steps, bool has_state = true) const;
  ParameterVisit getting(DeviceEngine& engine, std::uint64_t steps, bool has_state = true) const;
  void add_scale(float rate, std::uint64_t step);

  TgnModel& model_;
  std::optional<OptimizerOptions> optimizer_;
  bool message_time_;
  bool is_there_ = false;                        ///< the engine has the model
  bool is_ahead_ = false;                        ///< and has trained it since
  std::uint64_t steps_ = 0, updater_steps_ = 0;  ///< steps of the optimiser
  std::vector<double> numbers_;
};

}  // namespace frugal::tgn
