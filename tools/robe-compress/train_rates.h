#pragma once
#include <cstdint>

#include "tools/robe-compress/train.h"
#include "tools/robe-compress/trainer.h"

namespace frugal {

/// The same with nothing left to be chosen, for so many samples (0: streamed). The choices are best
/// or level on Criteo's, Adult's, InstEval's and generated samples, full and compressed (validation
/// of the training part).
TrainOptions resolve_rates(TrainOptions options, std::uint64_t samples);

/// How a Trainer is to run for resolved options; nothing: the end is not known.
TrainerSetup make_setup(const TrainOptions& options, std::optional<std::uint64_t> total_steps);

}  // namespace frugal
