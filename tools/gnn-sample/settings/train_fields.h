#pragma once
#include "libcore/options/option_fields.h"
#include "tools/gnn-sample/settings/train_options.h"

namespace frugal::gnn {

/// Describes the options of `train`, except those that all trainings share.
void describe_train(const OptionFields& fields, TrainOptions& options);

/// Decides the options that are left to the architecture. Leaves them open, with open_settings, if
/// the architecture is left to the tool and no option that changes the result is given.
TrainOptions decided(TrainOptions options);

/// Options that a training must share with a checkpoint to resume it.
OptionTexts training_options(TrainOptions options);

}  // namespace frugal::gnn
