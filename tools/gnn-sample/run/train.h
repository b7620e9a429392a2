#pragma once
#include "tools/gnn-sample/run/train_result.h"
#include "tools/gnn-sample/settings/train_options.h"

namespace frugal::gnn {

/// Reads the graph, trains on its training seeds, keeps the epoch with the best validation, tests
/// it, and writes the model.
TrainResult train(const TrainOptions& options, const TrainObserver& observer);

}  // namespace frugal::gnn
