#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/device/engine.h"
#include "tools/gnn-sample/data/feature_view.h"
#include "tools/gnn-sample/network/batch_trainer.h"
#include "tools/gnn-sample/sampler/fanouts.h"

namespace frugal::gnn {

/// Where features lie while a device trains.
enum class DeviceFeatures { automatic, device, pinned, batches };
inline constexpr std::array<std::string_view, 4> kDeviceFeaturesNames = {"auto", "device", "pinned",
                                                                         "batches"};

/// Sizes of the largest mini-batches that are expected, of each block in the order in which they
/// are computed.
struct BlockSizes {
  std::vector<std::uint64_t> targets, sources, edges;

  /// Of batches of `seeds` that draw fanouts, the seeds' first, in such a graph.
  static BlockSizes of(std::uint64_t seeds, const Fanouts& fanouts, std::uint64_t nodes,
                       std::uint64_t edges);
};

/// A training as an engine of a device takes it.
struct DeviceTraining {
  std::string device;    ///< --device
  std::string command;   ///< "gnn-sample train", for messages
  FeatureView features;  ///< of all nodes
  bool mapped = false;   ///< they are in a file
  DeviceFeatures place = DeviceFeatures::automatic;
  OptimizerOptions optimizer;
  std::string loss = "classes";  ///< or labels, links
  std::uint64_t batch_size = 0;
  BlockSizes expected;
};

/// Trains `model`, which is prepared for it and outlives the trainer, on the device that is asked
/// for; null: on the CPU. Fails (unavailable) where a device is asked for by name and cannot do it.
std::unique_ptr<BatchTrainer> make_device_trainer(GnnModel& model, const DeviceTraining& training);

}  // namespace frugal::gnn
