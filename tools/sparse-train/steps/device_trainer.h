#pragma once
#include <memory>
#include <string>

#include "libcore/device/engine.h"
#include "tools/sparse-train/network/network.h"
#include "tools/sparse-train/steps/network_trainer.h"

namespace frugal::sparse {

/// A training as an engine of a device takes it.
struct DeviceTraining {
  std::string device;   ///< --device
  std::string command;  ///< "sparse-train train", for messages
  TrainerSetup trainer;
  bool shared = false;  ///< outputs are sampled for each batch, else all
  std::uint32_t negatives = 0;
  bool correct_sampling = true;
  std::size_t ranks = 1;          ///< labels that a scorer ranks at most
  std::uint32_t label_block = 0;  ///< labels whose logits are held at a time; 0: by memory
};

/// The engine on the device that is asked for, with room for such a network and the data; null: the
/// CPU. Fails (unavailable) where a device is asked for by name and cannot do it.
std::shared_ptr<DeviceEngine> open_training_engine(const NetworkShape& shape, const Dataset& data,
                                                   const DeviceTraining& training);

/// Trains on the engine that was opened for the shape of `network`, with the batches, samples and
/// dropped units of Trainer. `network` and `data` must outlive the trainer.
std::unique_ptr<NetworkTrainer> make_device_trainer(std::shared_ptr<DeviceEngine> engine,
                                                    Network& network, const Dataset& data,
                                                    const DeviceTraining& training);

}  // namespace frugal::sparse
