#pragma once
#include <memory>

#include "tools/gnn-sample/train_options.h"
#include "tools/gnn-sample/train_task.h"

namespace frugal::gnn {

/// What options.task names, for a graph that a task may take edges from.
std::unique_ptr<TrainTask> make_task(StoredGraph& graph, const TrainOptions& options);

}  // namespace frugal::gnn
