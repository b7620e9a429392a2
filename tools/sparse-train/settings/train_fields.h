#pragma once
#include "libcore/options/option_fields.h"
#include "tools/sparse-train/settings/train_options.h"

namespace frugal::sparse {

/// TrainOptions of which the data decide what makes the text sets best (measured in tests/bench).
TrainOptions undecided_options();

/// All of TrainOptions that `train` is told, but for what all trainings are.
void describe_train(const OptionFields& fields, TrainOptions& options);
/// Of these the network, its training and the label trees.
void describe_network(const OptionFields& fields, TrainOptions& options);
/// The hash tables of --architecture lsh.
void describe_lsh(const OptionFields& fields, LshSettings& settings);
/// The label trees of --architecture tree and hybrid.
void describe_trees(const OptionFields& fields, TrainSettings& settings);

/// What a checkpoint must agree with.
OptionTexts training_options(TrainOptions options);

}  // namespace frugal::sparse
