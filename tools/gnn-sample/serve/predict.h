#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "tools/gnn-sample/model/model_file.h"
#include "tools/gnn-sample/tasks/inference.h"
#include "tools/gnn-sample/tasks/task_metrics.h"

namespace frugal::gnn {

/// Options that `gnn-sample eval` and `predict` share.
struct ModelOnGraphOptions {
  std::string model, graph;
  std::string nodes;  ///< as find_seeds() takes them
  std::uint64_t split = 0;
  InferenceOptions inference;
  Precision precision = Precision::f32;  ///< of products
  Residence residence = Residence::automatic;
};

/// Makes the model's input rows for the graph, and warns if most of its nodes are new to them.
/// Fails (bad_input) if its features do not fit the model of `path`, or some are not finite.
void make_inputs(StoredModel& stored, StoredGraph& graph, const std::string& path);

/// A model file, and a graph with features that fit it.
class ModelOnGraph {
 public:
  explicit ModelOnGraph(const ModelOnGraphOptions& options);

  const StoredModel& stored() const { return stored_; }
  const StoredGraph& graph() const { return graph_; }
  /// True if the model's outputs are embeddings, not classes or labels.
  bool is_of_links() const { return stored_.task == "links"; }
  double read_seconds() const { return read_seconds_; }
  /// Number of nodes of the graph that the model has no trained embedding of; nothing if it has
  /// none of any.
  std::optional<std::uint64_t> new_nodes() const {
    if (!stored_.inputs.settings().parts.embedding) return std::nullopt;
    return stored_.inputs.unknown_nodes();
  }

  using NodeOutputs = std::function<void(std::size_t place, std::span<const float> outputs)>;
  /// Calls `outputs` with the outputs of nodes[place], in order; progress: called with the share
  /// done.
  void run(std::span<const NodeId> nodes, const NodeOutputs& outputs,
           const std::function<void(double)>& progress);

 private:
  double began_;  ///< time before reading
  StoredModel stored_;
  StoredGraph graph_;
  Inference inference_;
  double read_seconds_ = 0;
};

struct PredictOptions : ModelOnGraphOptions {
  std::string output;
  bool probabilities = false;  ///< also write the probabilities of all classes
  bool if_changed = false;
  std::string history_entry;
};

struct PredictResult {
  std::uint64_t nodes = 0;
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
