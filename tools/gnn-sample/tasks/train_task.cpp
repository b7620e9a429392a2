#include "tools/gnn-sample/tasks/train_task.h"

#include <algorithm>

#include "tools/gnn-sample/settings/train_options.h"

namespace frugal::gnn {

NodeTask::NodeTask(const StoredGraph& graph, const TrainOptions& options)
    : graph_(graph), options_(options), goal_(graph, 0, options.split, options.select) {}

BatchMaker::Setup NodeTask::batch_setup() const {
  BatchMaker::Setup setup;
  setup.sampling = options_.sampling;
  setup.max_seeds = options_.batch_size;
  setup.seed = options_.seed;
  return setup;
}

std::vector<float> NodeTask::seed_probabilities() const {
  std::vector<float> seeds(graph_.num_nodes());
  const float share =
      static_cast<float>(options_.batch_size) / static_cast<float>(nodes(Part::train).size());
  for (const NodeId v : nodes(Part::train)) seeds[v] = std::min(1.0F, share);
  return seeds;
}

TaskMetrics NodeTask::evaluate(Part part, const GnnModel& model, Inference& inference) const {
  NodeMetrics metrics = goal_.metrics();
  inference.run(model, nodes(part), [&](std::size_t first, MatrixView<const float> rows) {
    for (std::size_t r = 0; r < rows.rows; ++r) {
      metrics.add(nodes(part)[first + r], rows.row_span(r));
    }
  });
  return goal_.result(metrics);
}

}  // namespace frugal::gnn
