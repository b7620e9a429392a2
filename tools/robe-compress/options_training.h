#pragma once
#include "libcore/cli/tool.h"
#include "tools/robe-compress/train.h"

namespace frugal::robe {

struct TrainCommandOptions {
  TrainOptions train;
  TrainerOptions trainer;
  std::string hash = "golden";     ///< name of a HashFamily
  std::string storage = "auto";    ///< name of a Storage, or auto
  std::string bytes;               ///< with a unit; "" = by compression
  std::string hot_share = "auto";  ///< or a number
};

/// Names of the table of methods.
std::vector<std::string> method_names();

/// Names of storages, and auto.
std::vector<std::string> storages_or_auto();

/// --method, --compression and --bytes.
void add_method_options(CLI::App& app, TrainCommandOptions& options);
/// What else says how tables are kept.
void add_embedding_options(CLI::App& app, TrainCommandOptions& options);
void add_network_options(CLI::App& app, TrainOptions& options);
void add_training_options(CLI::App& app, TrainOptions& options);

/// What the common options and those of trainers say, in the terms of train().
TrainOptions complete_options(const TrainCommandOptions& options, const Run& run);

/// What an option of `train` needs to do something; all options are there.
void add_train_conditions(CLI::App& app, TrainCommandOptions& options);
/// The same of `sweep`, whose methods these are.
void add_sweep_conditions(CLI::App& app, TrainCommandOptions& options,
                          const std::vector<std::string>& methods);

}  // namespace frugal::robe
