#pragma once
#include "libcore/options/option_fields.h"
#include "tools/robe-compress/settings/train_options.h"

namespace frugal::robe {

/// Names of the methods of storing embedding tables, as in --method.
Names method_names();

/// Describes the options of `train`, except those that all trainings share.
void describe_train(const OptionFields& fields, TrainOptions& options);

/// Describes the options that apply to all trainings of `sweep`. Methods and sizes are not among
/// them, because `sweep` varies them.
void describe_sweep_runs(const OptionFields& fields, TrainOptions& options);
/// Adds the conditions under which options of `sweep` have an effect. All options must have been
/// described.
void describe_sweep_conditions(const OptionFields& fields, TrainOptions& options,
                               const std::vector<std::string>& methods,
                               const std::vector<std::string>& storages);

/// Options that a training must share with a checkpoint to resume it.
OptionTexts training_options(TrainOptions options);

}  // namespace frugal::robe
