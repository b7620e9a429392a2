#include "tools/gnn-sample/train_task.h"

#include "tools/gnn-sample/node_task.h"

namespace frugal {

std::unique_ptr<TrainTask> make_task(StoredGraph& graph, const TrainOptions& options) {
  return std::make_unique<NodeTask>(graph, options);
}

}  // namespace frugal
