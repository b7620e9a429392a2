#pragma once
#include "tools/gnn-sample/run/train_result.h"
#include "tools/gnn-sample/settings/train_options.h"

namespace frugal::gnn {

/// Decides by the graph's types what was left open: the architecture of a graph of several types
/// is rgcn; if all is left to choose_architecture(), notes that for it. Fails (usage) for options
/// that the architecture does not read, and for an architecture that is not for the graph's types.
TrainOptions fitted_to_types(TrainOptions options);

/// train() for graphs of several types of nodes. Fails (unavailable) on devices and several ranks.
TrainResult train_typed(const TrainOptions& options, const TrainObserver& observer);

}  // namespace frugal::gnn
