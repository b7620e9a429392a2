#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/device/engine.h"
#include "tools/gnn-sample/data/feature_view.h"
#include "tools/gnn-sample/sampler/fanouts.h"
#include "tools/gnn-sample/steps/batch_trainer.h"

namespace frugal::gnn {

/// Where features are while a device trains.
enum class DeviceFeatures { automatic, device, pinned, batches };
inline constexpr std::array<std::string_view, 4> kDeviceFeaturesNames = {"auto", "device", "pinned",
                                                                         "batches"};

/// Expected sizes of the largest mini-batches, for each block in the order of computation.
struct BlockSizes {
  std::vector<std::uint64_t> targets, sources, edges;

  /// Sizes for batches of `seeds` seeds with these fanouts, from the seeds outwards, in a graph of
  /// that size.
  static BlockSizes of(std::uint64_t seeds, const Fanouts& fanouts, std::uint64_t nodes,
                       std::uint64_t edges);
};

/// Options of a training on a device.
struct DeviceTraining {
  std::string device;    ///< --device
  std::string command;   ///< "gnn-sample train", for messages
  FeatureView features;  ///< features of all nodes
  bool mapped = false;   ///< features are mapped from a file
  DeviceFeatures place = DeviceFeatures::automatic;
  OptimizerOptions optimizer;
  std::string loss = "classes";  ///< classes, labels or links
  std::uint64_t batch_size = 0;
  BlockSizes expected;
};

/// Makes a trainer on the device that is asked for; null: on the CPU. The model must be prepared
/// for training and outlive the trainer. Fails (unavailable) if a device is asked for by name and
/// cannot do it.
std::unique_ptr<BatchTrainer> make_device_trainer(GnnModel& model, const DeviceTraining& training);

}  // namespace frugal::gnn
