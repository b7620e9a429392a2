#pragma once
#include <memory>
#include <string>

#include "tools/robe-compress/model/click_model.h"
#include "tools/robe-compress/steps/batch_trainer.h"

namespace frugal::robe {

/// The trainer on a device (libcore/device/engine.h); null: --device asks for the CPU, or auto
/// leaves devices alone. Fails (unavailable) where a device is asked for that cannot do it.
std::unique_ptr<BatchTrainer> make_device_trainer(Embedding& embedding, Network& network,
                                                  const TrainerSetup& setup);

/// Where answers come from.
struct PredictorPlace {
  std::string device;   ///< --device
  std::string command;  ///< "robe-compress eval", for messages
  Precision precision = Precision::automatic;
};
/// Answers of a model: on the device, or on the CPU. The parts must outlive it.
std::unique_ptr<Predictor> open_predictor(Embedding& embedding, Network& network,
                                          const PredictorPlace& place);

}  // namespace frugal::robe
