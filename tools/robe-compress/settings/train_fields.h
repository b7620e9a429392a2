#pragma once
#include "libcore/options/option_fields.h"
#include "tools/robe-compress/settings/train_options.h"

namespace frugal::robe {

/// Names of the table of methods.
Names method_names();

/// All of TrainOptions that `train` is told, but for what all trainings are.
void describe_train(const OptionFields& fields, TrainOptions& options);

/// The same for every run of `sweep`, which names the methods and their sizes.
void describe_sweep_runs(const OptionFields& fields, TrainOptions& options);
/// What options of `sweep` need to do something; all are there.
void describe_sweep_conditions(const OptionFields& fields, TrainOptions& options,
                               const std::vector<std::string>& methods,
                               const std::vector<std::string>& storages);

/// What a checkpoint must agree with.
OptionTexts training_options(TrainOptions options);

}  // namespace frugal::robe
