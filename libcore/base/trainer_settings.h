#pragma once
#include <cstdint>
#include <string>

namespace frugal {

class Communicator;

/// Settings that all trainings share: outputs, checkpoints, time limit, device and ranks.
/// libcore/cli/trainer_run.h reads them from the command line.
struct TrainerSettings {
  std::uint64_t seed = 0;
  std::string device = "cpu";  ///< --device; a resumed run may change it
  std::string checkpoint;      ///< path; "" = none
  double checkpoint_seconds = 300;
  bool resume = false;
  double time_budget = 0;         ///< seconds; 0 = none
  Communicator* ranks = nullptr;  ///< ranks of a distributed training; null: this process alone
  // Stored in the model.
  std::string config;
  std::string history_entry;
};

}  // namespace frugal
