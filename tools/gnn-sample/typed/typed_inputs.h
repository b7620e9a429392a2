#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/gnn-sample/data/feature_store.h"
#include "tools/gnn-sample/data/stored_graph.h"
#include "tools/gnn-sample/inputs/trained_rows.h"
#include "tools/gnn-sample/typed/typed_model.h"

namespace frugal::gnn {

/// Sizes and seed of the embeddings of types without features.
struct EmbeddingSettings {
  std::size_t size = 128;
  std::uint64_t seed = 0;
};

/// A model file whose embeddings are looked up.
struct StoredEmbeddings {
  const Document& document;
  const std::string& path;
};

/// The input rows of a network for the nodes of each type of a graph: their features, or a trained
/// embedding where they have none.
class TypedInputs {
 public:
  TypedInputs() = default;
  /// Borrows the graph. stored: null: draws embeddings to train. Else nodes get the rows of the
  /// nodes with their names, and new ones the mean of these. Fails (bad_input) for features that
  /// are not finite, and (unavailable) if memory is short.
  TypedInputs(const TypedModel& model, const StoredGraph& graph, const TypePlaces& places,
              const EmbeddingSettings& settings, const StoredEmbeddings* stored = nullptr);

  /// Columns of the input rows of each type.
  static std::vector<std::size_t> columns(const TypedSchema& schema, std::size_t embedding);

  /// Input rows of a type; none if the network does not read it.
  const FeatureView& rows(std::size_t type) const { return types_[type].rows; }
  /// The trained rows of a type; null if it has none.
  TrainedRows* trained(std::size_t type) {
    return types_[type].trained ? &*types_[type].trained : nullptr;
  }
  /// Number of nodes without a stored row, of types that have stored rows.
  std::uint64_t unknown_nodes() const { return unknown_; }
  bool has_embedding() const { return has_embedding_; }

  std::size_t num_parameters() const;
  void prepare_training(const OptimizerOptions& optimizer);
  /// Saves the embeddings; with_names: and what their nodes are called.
  void save(Document& document, bool with_names) const;
  void load(const Document& document, const std::string& path);
  void save_state(Document& document) const;
  void load_state(const Document& document, const std::string& path);

 private:
  struct Type {
    const NodeSet* nodes = nullptr;
    std::string prefix;  ///< of its tensors
    FeatureView rows;
    FeatureStore store;
    std::optional<TrainedRows> trained;
  };

  std::vector<Type> types_;
  std::uint64_t unknown_ = 0;
  bool has_embedding_ = false;
};

}  // namespace frugal::gnn
