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

/// What `gnn-sample eval` and `predict` are told alike.
struct ModelOnGraphOptions {
  std::string model, graph;
  std::string nodes;  ///< as find_seeds() takes them
  std::uint64_t split = 0;
  InferenceOptions inference;
  Precision precision = Precision::f32;  ///< of products
  Residence residence = Residence::automatic;
};

/// Fails (bad_input) where the nodes of the graph have other features than the model of `path`
/// takes, or some that are not finite.
void check_fits(const GnnModel& model, const StoredGraph& graph, const std::string& path);

/// A model of a file and a graph that has the features it takes.
class ModelOnGraph {
 public:
  explicit ModelOnGraph(const ModelOnGraphOptions& options);

  const StoredModel& stored() const { return stored_; }
  const StoredGraph& graph() const { return graph_; }
  /// Embeddings come out, not classes or labels.
  bool is_of_links() const { return stored_.task == "links"; }
  double read_seconds() const { return read_seconds_; }

  using NodeOutputs = std::function<void(std::size_t place, std::span<const float> outputs)>;
  /// Gives the outputs of nodes[place], one after the other; progress is told the share done.
  void run(std::span<const NodeId> nodes, const NodeOutputs& outputs,
           const std::function<void(double)>& progress);

 private:
  double began_;  ///< before all that is read
  StoredModel stored_;
  StoredGraph graph_;
  Inference inference_;
  double read_seconds_ = 0;
};

struct PredictOptions : ModelOnGraphOptions {
  std::string output;
  bool probabilities = false;  ///< write those of all classes, too
  bool if_changed = false;
  std::string history_entry;
};

struct PredictResult {
  std::uint64_t nodes = 0;
  double read_seconds = 0, seconds = 0;
};

/// Writes the class of each node, its labels or, of a model of links, its embedding. `progress` is
/// told the share of the nodes that is done.
PredictResult predict_nodes(const PredictOptions& options,
                            const std::function<void(double)>& progress);

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
