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

/// Options of an engine by name.
using EngineSettings = std::vector<std::pair<std::string, std::string>>;

/// Sums over steps.
struct EngineSums {
  double loss = 0;
  std::uint64_t samples = 0;
  std::uint64_t steps = 0;
  double busy_seconds = 0;  ///< in which the device did them, by its own clock
};

/// A tool's training or serving on a device (plugin_abi.h). Errors: unavailable (69) with the
/// device's words, where memory is short with what would help; stopped (75) where the device is
/// lost.
class DeviceEngine {
 public:
  DeviceEngine(PluginStatus plugin, int device, const std::string& kind,
               const EngineSettings& settings);
  ~DeviceEngine();
  DeviceEngine(const DeviceEngine&) = delete;
  DeviceEngine& operator=(const DeviceEngine&) = delete;

  /// "cuda:0 (NVIDIA H200)".
  const std::string& device() const { return device_; }

  void set(std::span<const EngineArray> arrays);
  void get(std::span<const EngineArray> arrays);
  /// One training step; the batch may change once this returns.
  void submit(std::span<const double> numbers, std::span<const EngineArray> batch);
  /// Of the steps that are done and were not told of; wait: of all submitted.
  EngineSums collect(bool wait);
  void run(std::span<const EngineArray> batch, std::span<const EngineArray> answers);

 private:
  void check(int status, const char* call, const PluginMessage& message) const;

  PluginStatus plugin_;
  std::string device_;
  bool trains_;  ///< checkpoints hold what is lost
  frugal_engine* engine_ = nullptr;
};

/// What a command asks of a device.
struct EngineRequest {
  std::string option;   ///< --device
  std::string command;  ///< "robe-compress train", for messages
  std::string kind;     ///< "robe.train"
  EngineSettings settings;
  std::uint64_t batch_size = 0;  ///< samples of a step
};

/// The engine on the device that is asked for; null: the CPU. auto takes a device only if it has
/// the engine, the engine fits into its free memory, the device is measured to copy at least
/// kLeastBytesPerSecond and batches have kLeastBatch samples; the log says which and why. A device
/// that is asked for by name and cannot do it: fails (unavailable).
std::unique_ptr<DeviceEngine> open_engine(const EngineRequest& request);

/// Twelve channels of DDR5 copy as much: a slower device leaves nothing to gain.
inline constexpr double kLeastBytesPerSecond = 250e9;
/// Smaller steps take as long on a device as their launches do, which a CPU computes meanwhile.
inline constexpr std::uint64_t kLeastBatch = 256;

}  // namespace frugal
