#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "tools/gnn-sample/serve/model_on_graph.h"
#include "tools/gnn-sample/tasks/task_metrics.h"

namespace frugal::gnn {

struct PredictOptions : ModelOnGraphOptions {
  std::string output;
  std::string pairs;           ///< file of pairs to score (score_pairs()); or ""
  bool probabilities = false;  ///< also write the probabilities of all classes
  std::string history_entry;
};

struct PredictResult {
  std::uint64_t nodes = 0;
  std::optional<std::uint64_t> pairs;      ///< of score_pairs()
  std::optional<std::uint64_t> new_nodes;  ///< ModelOnGraph::new_nodes()
  double read_seconds = 0, seconds = 0;
};

/// Writes the class or the labels of each node or, for a model of links, its embedding. progress:
/// called with the share of nodes done.
PredictResult predict_nodes(const PredictOptions& options,
                            const std::function<void(double)>& progress);

struct EvalResult {
  std::uint64_t nodes = 0;                 ///< requested nodes that have a label
  std::optional<std::uint64_t> new_nodes;  ///< ModelOnGraph::new_nodes()
  double read_seconds = 0, seconds = 0;
  std::optional<NodeMetrics> test, validation;  ///< of the nodes in these parts, if there are any
  std::optional<NodeMetrics> all;
};

/// Compares a model's predictions with the nodes' labels. Fails if the graph has no labels that the
/// model could predict. progress: called with the share of nodes done.
EvalResult evaluate_model(const ModelOnGraphOptions& options,
                          const std::function<void(double)>& progress);

}  // namespace frugal::gnn
