#pragma once
#include <memory>

#include "tools/gnn-sample/settings/train_options.h"
#include "tools/gnn-sample/tasks/train_task.h"
#include "tools/gnn-sample/tasks/typed_task.h"

namespace frugal::gnn {

/// Makes the task that options.task names. The task may remove edges from the graph.
std::unique_ptr<TrainTask> make_task(StoredGraph& graph, const TrainOptions& options);
/// The task for a graph of several types. Fails as TypedNodeTask and TypedLinkTask do.
std::unique_ptr<TypedTask> make_typed_task(StoredGraph& graph, const TrainOptions& options);

}  // namespace frugal::gnn
