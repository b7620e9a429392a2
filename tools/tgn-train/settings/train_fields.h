#pragma once
#include "libcore/options/option_fields.h"
#include "tools/tgn-train/settings/train_options.h"

namespace frugal::tgn {

/// Default TrainOptions, in which everything that the architecture, the task or the memory mode can
/// decide is left open.
TrainOptions undecided_options();

/// Describes the options of `train`, except those that all trainings share.
void describe_train(const OptionFields& fields, TrainOptions& options);
/// Describes the options of the runs of `sweep`, which sets memory modes and batch sizes itself.
void describe_sweep_runs(const OptionFields& fields, TrainOptions& options);

/// Describes --memory-tier and --memory-file.
void describe_place(const OptionFields& fields, MemoryPlace& place);
/// Describes --ties of a command that uses a model.
void describe_ties(const OptionFields& fields, std::string& ties);

/// Decides the options left open. Fails (usage) if options contradict each other.
TrainOptions decided(TrainOptions options);
/// Fails (usage) if an option differs from its default but would have no effect.
void refuse_without_effect(const TrainOptions& options);

/// Options that a training must share with a checkpoint to resume it.
OptionTexts training_options(TrainOptions options);
OptionTexts training_options(LabelTrainOptions options);

}  // namespace frugal::tgn
