#pragma once
#include <cstdint>

#include "tools/robe-compress/settings/train_options.h"
#include "tools/robe-compress/steps/batch_trainer.h"

namespace frugal::robe {

/// Samples of a step.
inline std::uint64_t samples_of_step(const TrainOptions& options) {
  return std::uint64_t{options.batch_size} * options.joint.accumulate;
}

/// The same with nothing left to be chosen, for so many samples (0: streamed). The choices are best
/// or level on Criteo's, Adult's, InstEval's and generated samples, full and compressed (validation
/// of the training part).
TrainOptions resolve_rates(TrainOptions options, std::uint64_t samples);

/// Tables that take so many bytes as they are stored are small.
inline constexpr std::uint64_t kSmallTables = std::uint64_t{16} << 20;
/// Keeps small tables whole, in int8, and sets the options that suit them where they are not given:
/// Adagrad (a higher AUC than Adam on held-out tenths of seven sets of 8,000 to 80,000 samples),
/// rows that decay, and small layers. Devices have no decay.
TrainOptions for_small_tables(TrainOptions options);

/// What architecture linear is trained as: one weight a value, full tables, sweeps over `samples`
/// samples. Fails (usage) without the number of samples, which a stream does not tell.
TrainOptions for_linear(TrainOptions options, std::uint64_t samples);
/// What a run may train whose tables are small and whose options do not say it: the network, one
/// whose rows have an L2 penalty and a rate that is good for it, or a linear model.
enum class ModelChoice { network, regularized, linear };
inline constexpr auto kMostChoice = static_cast<std::uint64_t>(ModelChoice::linear);
TrainOptions with_choice(TrainOptions options, ModelChoice choice, std::uint64_t samples);
/// By row of all tables: what embedding_l2 makes of the decay of a sample's rows, so that an epoch
/// has all of it. Fails (usage) where rows were not counted.
std::vector<float> row_decay(double l2, const ClickEncoder& encoder);

/// How many there are where nothing can be validated.
int epochs_by_size(std::uint64_t samples);

/// How a Trainer is to run for resolved options; nothing: the end is not known. Where validation
/// ends the run, total_steps is an epoch's, which warm-up is a share of.
/// encoder: of the samples, for --embedding-l2.
TrainerSetup make_setup(const TrainOptions& options, const ClickEncoder& encoder,
                        std::optional<std::uint64_t> total_steps);

}  // namespace frugal::robe
