#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "tools/gnn-sample/model/model_goal.h"
#include "tools/gnn-sample/model/stored_model.h"
#include "tools/gnn-sample/tasks/inference.h"

namespace frugal::gnn {

/// Options that `gnn-sample eval` and `predict` share.
struct ModelOnGraphOptions {
  std::string model, graph;
  std::string nodes;      ///< as find_seeds() takes them
  std::string seed_type;  ///< of the nodes to embed, where links join two types; or ""
  std::uint64_t split = 0;
  InferenceOptions inference;
  Precision precision = Precision::f32;  ///< of products
  Residence residence = Residence::automatic;
};

/// Makes the model's input rows for the graph, and warns if most of its nodes are new to them.
/// Fails (bad_input) if its features do not fit the model of `path`, or some are not finite.
void make_inputs(StoredModel& stored, StoredGraph& graph, const std::string& path);

/// A model file, and a graph that fits it.
class ModelOnGraph {
 public:
  virtual ~ModelOnGraph() = default;

  virtual const ModelGoal& goal() const = 0;
  virtual std::size_t num_outputs() const = 0;
  /// Index in GraphContent::nodes of the type that outputs are for.
  virtual std::size_t node_type() const = 0;
  /// Number of nodes of the graph that the model has no trained embedding of; nothing if it has
  /// none of any.
  virtual std::optional<std::uint64_t> new_nodes() const = 0;
  /// Fails (usage) if outputs are for two types and the options choose none.
  virtual void require_type() const {}
  /// From now on, outputs are for the type of the sources, or the targets, of a model of links.
  virtual void choose_sources() {}
  virtual void choose_targets() {}
  const StoredGraph& graph() const { return graph_; }
  /// The nodes that outputs are for.
  const NodeSet& node_set() const { return graph_.content().nodes[node_type()]; }
  /// True if the model's outputs are embeddings, not classes or labels.
  bool is_of_links() const { return goal().task == "links"; }

  using NodeOutputs = std::function<void(std::size_t place, std::span<const float> outputs)>;
  /// Calls `outputs` with the outputs of nodes[place], in order; progress: called with the share
  /// done.
  void run(std::span<const NodeId> nodes, const NodeOutputs& outputs,
           const std::function<void(double)>& progress);

 protected:
  explicit ModelOnGraph(const ModelOnGraphOptions& options);

  StoredGraph graph_;

 private:
  virtual void compute(std::span<const NodeId> nodes, const OutputRows& rows) = 0;
};

/// Reads a model for graphs of one type of nodes or of several, and a graph that fits it.
std::unique_ptr<ModelOnGraph> open_model(const ModelOnGraphOptions& options);

}  // namespace frugal::gnn
