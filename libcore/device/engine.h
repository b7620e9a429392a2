#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "libcore/device/registry.h"

namespace frugal {

/// An array in this program's memory that an engine reads or writes.
struct EngineArray {
  std::string name;
  frugal_type type = FRUGAL_F32;
  std::vector<std::uint64_t> shape;
  void* data = nullptr;

  std::uint64_t num_bytes() const;
};
std::size_t type_bytes(frugal_type type);

/// Settings of an engine: names and values.
using EngineSettings = std::vector<std::pair<std::string, std::string>>;

/// Sums over training steps.
struct EngineSums {
  double loss = 0;
  std::uint64_t samples = 0;
  std::uint64_t steps = 0;
  double busy_seconds = 0;  ///< time in which the device computed them, by its own clock
};

/// A tool's training or prediction on a device (plugin_abi.h). Errors: unavailable (69) with the
/// device's message, and with advice if memory is short; stopped (75) if the device is lost.
class DeviceEngine {
 public:
  DeviceEngine(PluginStatus plugin, int device, const std::string& kind,
               const EngineSettings& settings);
  ~DeviceEngine();
  DeviceEngine(const DeviceEngine&) = delete;
  DeviceEngine& operator=(const DeviceEngine&) = delete;

  /// Name of the device: "cuda:0 (NVIDIA H200)".
  const std::string& device() const { return device_; }

  void set(std::span<const EngineArray> arrays);
  void get(std::span<const EngineArray> arrays);
  /// Submits one training step. The batch may change once this returns.
  void submit(std::span<const double> numbers, std::span<const EngineArray> batch);
  /// Sums over the steps that finished since the last call. wait: waits for all submitted steps
  /// first.
  EngineSums collect(bool wait);
  void run(std::span<const EngineArray> batch, std::span<const EngineArray> answers);

 private:
  void check(int status, const char* call, const PluginMessage& message) const;

  PluginStatus plugin_;
  std::string device_;
  bool trains_;  ///< training: a lost device can be resumed from a checkpoint
  frugal_engine* engine_ = nullptr;
};

/// A command's request for an engine.
struct EngineRequest {
  std::string option;   ///< value of --device
  std::string command;  ///< "robe-compress train", for messages
  std::string kind;     ///< "robe.train"
  EngineSettings settings;
  std::uint64_t batch_size = 0;  ///< samples per step
};

/// Opens the engine on the requested device; null: use the CPU. With auto, a device must have the
/// engine, have enough free memory for it, and be measured to copy at least kLeastBytesPerSecond.
/// Batches must have at least kLeastBatch samples. The log gives the choice and its reason. Fails
/// (unavailable) if a device was requested by name and cannot be used.
std::unique_ptr<DeviceEngine> open_engine(const EngineRequest& request);

/// Copy rate of twelve channels of DDR5: a slower device would gain nothing.
inline constexpr double kLeastBytesPerSecond = 250e9;
/// Smallest batch for auto: smaller steps take a device as long as their launches, and a CPU
/// computes them meanwhile.
inline constexpr std::uint64_t kLeastBatch = 256;

}  // namespace frugal
