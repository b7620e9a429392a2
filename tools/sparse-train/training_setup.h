#pragma once
#include <memory>

#include "tools/sparse-train/network/output_layer.h"
#include "tools/sparse-train/network/trainer.h"
#include "tools/sparse-train/planner.h"

namespace frugal {

// What a plan means for the parts of a network's training.

NetworkShape network_shape(const Plan& plan, const Dataset& data);

/// `network` and `data` must outlive the layer.
std::unique_ptr<OutputLayer> make_output(const Plan& plan, Network& network, const Dataset& data,
                                         std::uint64_t seed, Precision precision);

/// The schedule falls over plan.epochs passes.
TrainerSetup trainer_setup(const Plan& plan, const Dataset& data, std::uint64_t seed,
                           Precision precision);

}  // namespace frugal
