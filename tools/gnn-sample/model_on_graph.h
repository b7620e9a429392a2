#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "tools/gnn-sample/inference.h"
#include "tools/gnn-sample/model_file.h"

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

}  // namespace frugal::gnn
