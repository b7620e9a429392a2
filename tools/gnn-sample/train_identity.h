#pragma once
#include <string>

#include "tools/gnn-sample/train.h"

namespace frugal::gnn {

/// What a checkpoint must agree with to be gone on from: all that changes the steps of a training,
/// as text.
std::string training_text(const TrainOptions& options);
/// A hash of the graph's edges, labels and split, and of some of its features.
std::string graph_fingerprint(const StoredGraph& graph);

}  // namespace frugal::gnn
