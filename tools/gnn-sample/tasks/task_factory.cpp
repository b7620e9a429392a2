#include "tools/gnn-sample/tasks/task_factory.h"

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "tools/gnn-sample/tasks/link_task.h"
#include "tools/gnn-sample/tasks/typed_link_task.h"

namespace frugal::gnn {
std::unique_ptr<TrainTask> make_task(StoredGraph& graph, const TrainOptions& options) {
  if (options.task == "nodes") return std::make_unique<NodeTask>(graph, options);
  if (options.task == "links") return std::make_unique<LinkTask>(graph, options);
  fail(ExitStatus::usage, "--task is '", printable(options.task), "', expected nodes or links");
}

std::unique_ptr<TypedTask> make_typed_task(StoredGraph& graph, const TrainOptions& options) {
  if (options.task == "links") return std::make_unique<TypedLinkTask>(graph, options);
  return std::make_unique<TypedNodeTask>(graph, options);
}

}  // namespace frugal::gnn
