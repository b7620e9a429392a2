#pragma once
#include <string>

#include "tools/sparse-train/fit/plan.h"
#include "tools/sparse-train/model/model.h"

namespace frugal::sparse {

/// train --init: going on from a model with new data, in which features and labels that the model
/// knows keep their ids and new ones stand behind them.

/// A plan with what the model has already decided: network, trees or both, and their shapes. Fails
/// (usage) where the user asks for something else: no part of a model is dropped or made up.
Plan plan_continuation(const Model& model, TrainSettings settings, const Dataset& data);

/// Copies the parameters of a network with the same hidden layers and no more rows; the rows behind
/// them and the optimiser's state stay.
void copy_parameters(const Network& from, Network& to);

/// Adds what an earlier training counted.
void add_counts(const LabelCounts& earlier, LabelCounts& counts);

}  // namespace frugal::sparse
