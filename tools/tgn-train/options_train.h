#pragma once
#include <string>

#include "libcore/cli/tool.h"
#include "tools/tgn-train/train.h"

namespace frugal {

struct TrainCommandOptions {
  TrainOptions train;
  TrainerOptions trainer;
  std::string preset = "tgn-attn";
  // "auto": the preset's.
  std::string message = "auto", aggregator = "auto", updater = "auto", embedding = "auto";
  int layers = 0;  ///< 0: the preset's
  std::string time_encoder = "trainable";
  std::string memory = "window";
  std::string refresh = "none";
  std::string memory_dtype = "f32";
};

Command train_command(TrainCommandOptions& options);

}  // namespace frugal
