#pragma once
#include <cstdint>

#include "tools/robe-compress/settings/train_options.h"
#include "tools/robe-compress/steps/batch_trainer.h"

namespace frugal::robe {

/// Number of samples in a step.
inline std::uint64_t samples_of_step(const TrainOptions& options) {
  return std::uint64_t{options.batch_size} * options.joint.accumulate;
}

/// Returns the options with all open values chosen for that many samples (0: streamed). The choices
/// are best or equal on Criteo's, Adult's, InstEval's and generated samples, full and compressed
/// (validation within the training part).
TrainOptions resolve_rates(TrainOptions options, std::uint64_t samples);

/// Most bytes, as stored, of tables that count as small.
inline constexpr std::uint64_t kSmallTables = std::uint64_t{16} << 20;
/// Stores small tables in full, in int8, and sets options for them that are not given: Adagrad (a
/// higher AUC than Adam on held-out tenths of seven sets of 8,000 to 80,000 samples), weight decay
/// of rows, and small layers. Devices have no weight decay.
TrainOptions for_small_tables(TrainOptions options);

/// Options for training architecture linear: one weight for each value, full tables, and sweeps
/// over `samples` samples. Fails (usage) if their number is unknown, as in a stream.
TrainOptions for_linear(TrainOptions options, std::uint64_t samples);
/// Models that a run with small tables chooses from, unless its options determine one: the network;
/// the network with an L2 penalty of rows and a suitable rate; or a linear model.
enum class ModelChoice { network, regularized, linear };
inline constexpr auto kMostChoice = static_cast<std::uint64_t>(ModelChoice::linear);
TrainOptions with_choice(TrainOptions options, ModelChoice choice, std::uint64_t samples);
/// Decay for each row of all tables such that embedding_l2 is applied once in an epoch. Fails
/// (usage) if rows were not counted.
std::vector<float> row_decay(double l2, const ClickEncoder& encoder);

/// Number of epochs if nothing can be validated.
int epochs_by_size(std::uint64_t samples);

/// Setup of a trainer for resolved options. total_steps: nothing if the end is not known. With
/// early stopping, it is an epoch's, and warm-up is a share of it. encoder: of the samples, for
/// --embedding-l2.
TrainerSetup make_setup(const TrainOptions& options, const ClickEncoder& encoder,
                        std::optional<std::uint64_t> total_steps);

}  // namespace frugal::robe
