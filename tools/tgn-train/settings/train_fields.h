#pragma once
#include "libcore/options/option_fields.h"
#include "tools/tgn-train/settings/train_options.h"

namespace frugal::tgn {

/// TrainOptions of which the architecture, the task and the memory mode decide what they can.
TrainOptions undecided_options();

/// All of TrainOptions that `train` is told, but for what all trainings are.
void describe_train(const OptionFields& fields, TrainOptions& options);
/// The same for every run of `sweep`, which has its own memory modes and batch sizes.
void describe_sweep_runs(const OptionFields& fields, TrainOptions& options);

/// --memory-tier and --memory-file.
void describe_place(const OptionFields& fields, MemoryPlace& place);
/// --ties of a command that uses a model.
void describe_ties(const OptionFields& fields, std::string& ties);

/// Decides what is left open. Fails (usage) where options contradict each other.
TrainOptions decided(TrainOptions options);
/// Fails (usage) where an option has another value than its default and would do nothing.
void refuse_without_effect(const TrainOptions& options);

/// What a checkpoint must agree with.
OptionTexts training_options(TrainOptions options);
OptionTexts training_options(LabelTrainOptions options);

}  // namespace frugal::tgn
