#pragma once
#include <cstdint>
#include <string>

namespace frugal {

class Communicator;

/// What every training is told besides its own options: about its outputs, its checkpoints and its
/// end. libcore/cli/trainer_run.h makes it from the command line.
struct TrainerSettings {
  bool if_changed = false;  ///< leave the model file alone when the bytes are equal
  std::uint64_t seed = 0;
  std::string device = "cpu";  ///< --device; no part of what is trained: a run may change it
  std::string checkpoint;      ///< "" = none
  double checkpoint_seconds = 300;
  bool resume = false;
  double time_budget = 0;         ///< seconds; 0 = none
  Communicator* ranks = nullptr;  ///< that train together; null: this process alone
  // Stored in the model.
  std::string config;
  std::string history_entry;
};

}  // namespace frugal
