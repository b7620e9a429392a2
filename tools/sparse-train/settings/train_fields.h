#pragma once
#include "libcore/options/option_fields.h"
#include "tools/sparse-train/settings/train_options.h"

namespace frugal::sparse {

/// Default TrainOptions, in which the data decide what matters for accuracy on the text sets
/// (measured in tests/bench).
TrainOptions undecided_options();

/// Describes the options of `train`, except those that all trainings share.
void describe_train(const OptionFields& fields, TrainOptions& options);
/// Describes the options of the network, its training, sparse outputs and label trees.
void describe_network(const OptionFields& fields, TrainOptions& options);

// Parts of the above that TrainSettings has. An option of networks is described through a handle
// with this condition, which is also how asks_for_network() finds it.
void describe_network_settings(const OptionFields& fields, TrainSettings& settings);
/// Describes outputs that are looked up: --architecture lsh, and shared with --lsh-hard.
void describe_lsh(const OptionFields& fields, TrainSettings& settings);
/// Describes the label trees of --architecture tree and hybrid.
void describe_trees(const OptionFields& fields, TrainSettings& settings);
/// Describes --label-shards.
void describe_shards(const OptionFields& fields, TrainSettings& settings);

/// Options that a training must share with a checkpoint to resume it.
OptionTexts training_options(TrainOptions options);

}  // namespace frugal::sparse
