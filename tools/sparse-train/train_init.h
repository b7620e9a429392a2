#pragma once
#include <string>

#include "tools/sparse-train/model.h"
#include "tools/sparse-train/planner.h"

namespace frugal {

/// train --init: going on from a model with new data, in which features and labels that the model
/// knows keep their ids and new ones stand behind them.

/// Fails (usage) where the model has no network to go on with.
Model load_initial_model(const std::string& path);

/// A plan with what the network has already decided: hidden units, layers, activation, loss. Fails
/// (usage) where the user asks for something else or for label trees.
Plan plan_continuation(const Network& network, TrainSettings settings, const DataFacts& facts);

/// Copies the parameters of a network with the same hidden layers and no more rows; the rows behind
/// them and the optimiser's state stay.
void copy_parameters(const Network& from, Network& to);

/// Adds what an earlier training counted.
void add_counts(const LabelCounts& earlier, LabelCounts& counts);

}  // namespace frugal
