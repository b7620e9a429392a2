#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libcore/device/engine.h"
#include "libcore/nn/row_store.h"
#include "tools/tgn-train/memory/engine_memory.h"
#include "tools/tgn-train/memory/step_planner.h"
#include "tools/tgn-train/network/engine_model.h"
#include "tools/tgn-train/network/plan_arrays.h"

namespace frugal::tgn {

/// Where steps are to run.
struct DevicePlace {
  std::string device = "cpu";  ///< --device
  std::string command;         ///< "tgn-train train", for messages
  std::size_t batch = 0;       ///< events of a step
};

/// The steps of a network on a device, whose engine keeps parameters, memory and features from step
/// to step. What the host has of parameters and memory is brought there before a step where it is
/// the newer one, and back where the host asks for it.
class DeviceSteps {
 public:
  struct Parts {
    TgnModel& model;
    NodeMemory* memory = nullptr;  ///< null where the model has none
    std::size_t nodes = 0;
    StepFeatures features;
    PlannerOptions plans;
    std::optional<OptimizerOptions> optimizer;  ///< nothing where nothing is trained
  };
  /// All parts outlive the result. Null: --device asks for the CPU, or auto leaves devices alone.
  /// Fails (unavailable) where a device is asked for that cannot do it.
  static std::unique_ptr<DeviceSteps> open(const DevicePlace& place, const Parts& parts);
  /// The engine was made for settings_of() the parts.
  DeviceSteps(std::unique_ptr<DeviceEngine> engine, const Parts& parts);
  static EngineSettings settings_of(const Parts& parts, std::size_t batch);

  /// As StepRunner has them.
  MatrixView<const float> embed(const StepPlan& plan);
  void store();
  /// Does not wait for the step. Returns the sum of losses that are known since the last call.
  double train(const StepPlan& plan, const TgnPass& pass, float rate);
  /// The sum of the losses of all steps before that no call has returned yet.
  double collect() { return told(true); }
  /// In which the device computed the steps that these calls told of, by its own clock.
  double busy_seconds() const { return busy_seconds_; }

  // The host's parameters and memory become as the engine has them, or count as new there.
  void bring_model_back() { model_.bring_back(*engine_); }
  void bring_memory_back();
  void model_changed() { model_.changed(); }
  void memory_changed();

 private:
  void bring();
  double told(bool wait);

  std::unique_ptr<DeviceEngine> engine_;
  EngineModel model_;
  std::optional<EngineMemory> memory_;
  std::size_t dim_;
  PlanArrays arrays_;
  std::vector<float> embedded_;
  RowStore answers_;
  std::uint64_t steps_without_loss_ = 0;  ///< submitted since collect()
  double busy_seconds_ = 0;
};

}  // namespace frugal::tgn
