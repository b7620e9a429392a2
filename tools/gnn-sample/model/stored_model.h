#pragma once
#include <memory>
#include <string>

#include "libcore/metrics/value_metrics.h"
#include "tools/gnn-sample/data/stored_graph.h"
#include "tools/gnn-sample/inputs/node_inputs.h"
#include "tools/gnn-sample/model/model_goal.h"
#include "tools/gnn-sample/network/gnn_model.h"

namespace frugal::gnn {

/// A trained model and what one must know to use it.
struct StoredModel : ModelGoal {
  std::unique_ptr<GnnModel> model;
  NodeInputs inputs;            ///< of a graph for the model
  std::string feature_columns;  ///< FeatureColumns::text() of the training graph's features; or ""

  /// Takes from the training graph what one must know of it. task: nodes or links.
  void describe(const StoredGraph& graph, const std::string& task);

  // All that is trained: the network, and the embedding if the inputs train one.
  std::size_t num_parameters() const;
  void prepare_training(const OptimizerOptions& optimizer);
  /// Saves or loads the parameters, and the optimiser's state. Loading fails as GnnModel's.
  void save_parameters(Document& document) const;
  void load_parameters(const Document& document, const std::string& path);
  void save_state(Document& document) const;
  void load_state(const Document& document, const std::string& path);
};

}  // namespace frugal::gnn
