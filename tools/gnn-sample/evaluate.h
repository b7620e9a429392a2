#pragma once
#include <functional>
#include <optional>

#include "tools/gnn-sample/model_on_graph.h"
#include "tools/gnn-sample/node_metrics.h"

namespace frugal::gnn {

struct EvalResult {
  std::uint64_t nodes = 0;  ///< that were asked for and have a label
  double read_seconds = 0, seconds = 0;
  std::optional<NodeMetrics> test, validation;  ///< of the nodes of these parts, if there are any
  std::optional<NodeMetrics> all;
};

/// Compares what a model says of nodes with their labels. Fails where the graph has none that the
/// model could say. `progress` is told the share of the nodes that is done.
EvalResult evaluate_model(const ModelOnGraphOptions& options,
                          const std::function<void(double)>& progress);

}  // namespace frugal::gnn
