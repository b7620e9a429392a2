#pragma once
#include "libcore/options/option_fields.h"
#include "tools/gnn-sample/settings/train_options.h"

namespace frugal::gnn {

/// All of TrainOptions that `train` is told, but for what all trainings are.
void describe_train(const OptionFields& fields, TrainOptions& options);

/// With what is left to the architecture.
TrainOptions decided(TrainOptions options);

/// What a checkpoint must agree with.
OptionTexts training_options(TrainOptions options);

}  // namespace frugal::gnn
