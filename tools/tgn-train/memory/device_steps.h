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

/// The device that runs the steps, and the command that asks for it.
struct DevicePlace {
  std::string device = "cpu";  ///< --device
  std::string command;         ///< "tgn-train train", for messages
  std::size_t batch = 0;       ///< events in a step
};

/// Runs the steps of a network on a device. The device's engine keeps parameters, memory and
/// features from step to step. Before a step, parameters and memory are copied to the device if the
/// host's copy is newer; they are copied back when the host asks for them.
class DeviceSteps {
 public:
  struct Parts {
    TgnModel& model;
    NodeMemory* memory = nullptr;  ///< null if the model has no memory
    std::size_t nodes = 0;
    StepFeatures features;
    PlannerOptions plans;
    std::optional<OptimizerOptions> optimizer;  ///< empty if nothing is trained
  };
  /// Opens the device; all parts must outlive the result. Returns null for the CPU: if --device is
  /// cpu, or is auto and no device can run these steps. Fails (unavailable) if the device that
  /// --device names cannot.
  static std::unique_ptr<DeviceSteps> open(const DevicePlace& place, const Parts& parts);
  /// engine: opened with settings_of(parts).
  DeviceSteps(std::unique_ptr<DeviceEngine> engine, const Parts& parts);
  static EngineSettings settings_of(const Parts& parts, std::size_t batch);

  /// Embeds the plan's queries on the device, as StepRunner::embed().
  MatrixView<const float> embed(const StepPlan& plan);
  void store();
  /// Submits a training step and does not wait for it. Returns the sum of the losses that have
  /// arrived since the last call; 0 in most calls.
  double train(const StepPlan& plan, const TgnPass& pass, float rate);
  /// Waits for all steps and returns the sum of the losses that no call has returned yet.
  double collect() { return told(true); }
  /// Seconds that the device needed, by its own clock, for the steps whose losses were returned.
  double busy_seconds() const { return busy_seconds_; }

  // bring_*_back() copies the engine's parameters or memory to the host. *_changed() marks the
  // host's copy as newer, so that the next step copies it to the engine.
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
