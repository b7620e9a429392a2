#pragma once
#include "libcore/cli/tool.h"
#include "tools/robe-compress/train.h"

namespace frugal {

struct TrainCommandOptions {
  TrainOptions train;
  TrainerOptions trainer;
  std::string hash = "golden";     ///< name of a HashFamily
  std::string storage = "f32";     ///< name of a Storage
  std::string bytes;               ///< with a unit; "" = by compression
  std::string hot_share = "auto";  ///< or a number
};

/// What says how tables are kept, for every command that makes them.
void add_embedding_options(CLI::App& app, TrainCommandOptions& options);
void add_network_options(CLI::App& app, TrainOptions& options);

/// What the common options and those of trainers say, in the terms of train().
TrainOptions complete_options(const TrainCommandOptions& options, const Run& run);

Command train_command(TrainCommandOptions& options);

}  // namespace frugal
