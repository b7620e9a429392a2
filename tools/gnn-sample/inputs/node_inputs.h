#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "tools/gnn-sample/data/stored_graph.h"
#include "tools/gnn-sample/inputs/input_parts.h"
#include "tools/gnn-sample/inputs/stored_rows.h"
#include "tools/gnn-sample/inputs/trained_rows.h"

namespace frugal::gnn {

/// The input rows of a model for the nodes of a graph: their features, or what stands in for them.
/// A new graph gets its degrees and projection from its own edges, and a stored embedding by the
/// names of its nodes.
class NodeInputs {
 public:
  explicit NodeInputs(const InputSettings& settings = {}) : settings_(settings) {}

  const InputSettings& settings() const { return settings_; }
  /// Replaces the features of a homogeneous graph by the input rows, unless these are its features
  /// alone. Without a loaded embedding, draws one to train; its rows then lie in the graph, which
  /// must outlive the object. Fails (bad_input) if the graph lacks features that are a part, and
  /// (unavailable) if memory is short.
  void make(StoredGraph& graph);
  /// The embedding that is trained; null if none is.
  TrainedRows* trained() { return trained_ ? &*trained_ : nullptr; }
  const TrainedRows* trained() const { return trained_ ? &*trained_ : nullptr; }
  /// Number of nodes of make()'s graph that a loaded embedding does not know.
  std::uint64_t unknown_nodes() const { return unknown_; }
  /// Warns that most nodes of make()'s graph are new to the loaded inputs of the model `path`, or
  /// that names stand against ids or numbers, so that none can be known.
  void warn_of_new_nodes(const StoredGraph& graph, const std::string& path) const;

  /// Saves the trained embedding with what its nodes are called, or loads it for new graphs.
  void save(Document& document) const;
  void load(const Document& document, const std::string& path);

 private:
  void check_features(const StoredGraph& graph) const;
  void write_computed(const StoredGraph& graph, MatrixView<float> out) const;
  FeatureStore dense_rows(const StoredGraph& graph);
  FeatureStore sparse_rows(const StoredGraph& graph) const;

  InputSettings settings_;
  const StoredGraph* graph_ = nullptr;  ///< whose nodes have the trained rows
  std::optional<TrainedRows> trained_;
  std::shared_ptr<const StoredRows> stored_;  ///< a loaded embedding
  bool loaded_ = false;
  std::uint64_t unknown_ = 0;
};

}  // namespace frugal::gnn
