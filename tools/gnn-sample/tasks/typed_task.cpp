#include "tools/gnn-sample/tasks/typed_task.h"

#include "tools/gnn-sample/settings/sampling_options.h"
#include "tools/gnn-sample/settings/train_options.h"

namespace frugal::gnn {

TypedNodeTask::TypedNodeTask(const StoredGraph& graph, const TrainOptions& options)
    : options_(options),
      type_(find_seed_type(graph, options.seed_type)),
      goal_(graph, type_, options.split, options.select) {}

void TypedNodeTask::set_up(TypedBatchMaker::Setup& setup) const {
  setup.max_seeds = options_.batch_size;
}

TypedTask::BatchLoss TypedNodeTask::loss(const TypedBatch& batch, const TypedModel& model,
                                         TypedRoom& room) {
  const MatrixView<const float> outputs = model.outputs(room, model.schema().seeds);
  const double mean = batch_loss(outputs, goal_.targets(batch.labels), model.output_gradient(room));
  return {mean * static_cast<double>(outputs.rows), outputs.rows};
}

TaskMetrics TypedNodeTask::evaluate(Part part, const TypedModel& model,
                                    TypedInference& inference) const {
  const std::vector<NodeId>& nodes = goal_.nodes(part);
  NodeMetrics metrics = goal_.metrics();
  inference.run(model, nodes, [&](std::size_t first, MatrixView<const float> rows) {
    for (std::size_t r = 0; r < rows.rows; ++r) metrics.add(nodes[first + r], rows.row_span(r));
  });
  return goal_.result(metrics);
}

}  // namespace frugal::gnn
