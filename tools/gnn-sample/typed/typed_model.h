#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "libcore/base/view.h"
#include "libcore/nn/layer_norm.h"
#include "libcore/nn/parameter_tensors.h"
#include "libcore/nn/row_store.h"
#include "libcore/tensors/tensor_file.h"
#include "tools/gnn-sample/layers/activation.h"
#include "tools/gnn-sample/layers/gnn_options.h"
#include "tools/gnn-sample/layers/row_chunks.h"
#include "tools/gnn-sample/layers/source_rows.h"
#include "tools/gnn-sample/layers/sparse_products.h"
#include "tools/gnn-sample/network/shortcut.h"
#include "tools/gnn-sample/typed/relation_layer.h"
#include "tools/gnn-sample/typed/schema.h"
#include "tools/gnn-sample/typed/transformer_layer.h"
#include "tools/gnn-sample/typed/used_edges.h"

namespace frugal::gnn {

/// Edges that a layer reads, of a mini-batch or of a whole graph.
struct TypedBlocks {
  std::vector<Block> relations;                 ///< [relations] of the schema
  std::vector<std::uint32_t> targets, sources;  ///< [types] rows after the layer, and before it
};

/// Input of a network, lent by the caller during both passes.
struct TypedInput {
  std::vector<TypedBlocks> layers;  ///< in the order of computation
  std::vector<SourceRows> rows;     ///< [types] rows of the first layer's sources
};

/// State of a network for a batch between its passes, and working memory. It is reused.
class TypedRoom {
 private:
  friend class TypedModel;
  struct Relation {
    UsedEdges edges;
    std::vector<NodeId> sources, targets;  ///< numbers of the rows of these edges
    RelationInput input;
    std::unique_ptr<RelationRoom> room;
  };
  struct TypeRows {
    RowStore sums;       ///< with a norm: what it reads
    RowStore outputs;    ///< [targets, out] after norm, activation and dropout
    RowStore gradients;  ///< of outputs, then of sums
    SparseColumns columns;
  };
  struct Layer {
    std::vector<Relation> relations;
    std::vector<TypeRows> types;
    TransformerInput input;  ///< hgt
    TransformerRoom transformer;
  };
  std::vector<Layer> layers_;
  std::vector<RowStore> input_gradients_;  ///< [types]
};

/// Network for several types of nodes. In each layer of rgcn and rgat, with t the type of v,
///
///   y_v = W_t x_v + b_t + sum over relations r of m_r(v),
///
/// where m_r(v) is the row that RelationMean (rgcn) or RelationAttention (rgat) computes from the
/// neighbours of v in r, and 0 if there are none. Layers of hgt are TransformerLayers. A layer
/// without relations, a map W_t x_v + b_t, precedes them, and another one follows them. The first
/// has no weights for embeddings of as many numbers as the layers have units, and an activation for
/// all types. Types and
/// relations that no output depends on have no parameters. Passes use all threads; results are the
/// same to the bit for any number of them.
class TypedModel {
 public:
  /// features: [types] columns of the input rows, for types without features those of embeddings.
  TypedModel(const GnnOptions& options, TypedSchema schema, std::vector<std::size_t> features,
             std::size_t num_outputs);

  /// Number of weights of such a network; makes none.
  static std::uint64_t count_weights(const GnnOptions& options, const TypedSchema& schema,
                                     const std::vector<std::size_t>& features,
                                     std::size_t num_outputs);

  const GnnOptions& options() const { return options_; }
  const TypedSchema& schema() const { return schema_; }
  std::size_t num_outputs() const { return num_outputs_; }
  /// True if the layers of such a network are TransformerLayers.
  static bool is_transformer(const GnnOptions& options) { return options.kind == "hgt"; }
  /// True if the outputs depend on input rows of the type.
  bool reads(std::size_t type) const { return layers_.front().reads[type]; }
  std::size_t num_parameters() { return count_parameters(weights()); }
  void randomize(std::uint64_t seed);

  std::unique_ptr<TypedRoom> make_room() const;
  /// Outputs of the targets of the last layer's seed type, [seeds, outputs], before softmax; valid
  /// until the next use of the room, as those of the second type.
  MatrixView<const float> forward(const TypedInput& input, const GnnPass& pass,
                                  TypedRoom& room) const;
  MatrixView<const float> outputs(const TypedRoom& room, std::size_t type) const {
    return view_of(room.layers_.back().types[type].outputs);
  }
  /// Where the caller writes the gradient of these outputs before backward().
  RowStore& output_gradient(TypedRoom& room) const { return output_gradient(room, schema_.seeds); }
  RowStore& output_gradient(TypedRoom& room, std::size_t type) const {
    return room.layers_.back().types[type].gradients;
  }
  /// Adds to the gradients of the weights. Computes those of the input rows of types without
  /// features.
  void backward(const TypedInput& input, const GnnPass& pass, TypedRoom& room);
  MatrixView<float> input_gradient(TypedRoom& room, std::size_t type) const {
    return room.input_gradients_[type].view();
  }

  void prepare_training(const OptimizerOptions& optimizer);
  /// Makes an optimiser step with the gradients added since the last one.
  void step(float rate) { step_weights(weights(), rate); }
  /// All parameters: "convs.0.root.TYPE.weight", "convs.0.relation.SOURCE:RELATION:TARGET.weight"
  /// and others of the relation, "norms.0.TYPE.weight"; hgt: those of TransformerLayer, too.
  std::vector<ParameterTensor> tensors();
  std::vector<NamedWeights> weights() { return trained_weights(tensors()); }

 private:
  struct Layer {
    std::vector<bool> reads, writes;  ///< [types] whose rows it reads and computes
    std::vector<std::size_t> in;      ///< [types] columns of the rows that it reads
    std::vector<Shortcut> roots;      ///< [types]
    std::vector<std::unique_ptr<RelationLayer>> relations;  ///< null: not read
    std::vector<std::unique_ptr<LayerNorm>> norms;          ///< [types]
    std::unique_ptr<TransformerLayer> transformer;          ///< in place of maps and relations
    std::size_t out = 0;
    bool last = false;
    std::size_t hop = 0;      ///< layers before it that read edges
    bool reads_edges = true;  ///< false: a map of rows
  };
  /// Rows of a type that a layer reads.
  SourceRows rows_of(const TypedInput& input, const TypedRoom& room, std::size_t layer,
                     std::size_t type) const;
  bool wants_gradient(std::size_t layer, std::size_t type) const {
    return layer > 0 || schema_.nodes[type].features == 0;
  }
  static MatrixView<const float> view_of(const RowStore& rows) { return rows.view(); }
  /// Number of rows of a type after so many layers that read edges.
  static std::uint32_t num_rows(const TypedInput& input, std::size_t hop, std::size_t type) {
    return hop == 0 ? input.layers.front().sources[type] : input.layers[hop - 1].targets[type];
  }
  std::uint32_t num_sources(const TypedInput& input, std::size_t layer, std::size_t type) const {
    return num_rows(input, layers_[layer].hop, type);
  }
  std::uint32_t num_targets(const TypedInput& input, std::size_t layer, std::size_t type) const {
    return num_rows(input, layers_[layer].hop + (layers_[layer].reads_edges ? 1 : 0), type);
  }
  Dropout dropout(const GnnPass& pass, std::size_t layer, std::size_t type) const;
  static std::vector<Layer> plan(const GnnOptions& options, const TypedSchema& schema,
                                 std::vector<std::size_t> features, std::size_t num_outputs);
  /// True if the map before the layers of hgt has no weights for the type.
  static bool keeps_rows(const TypedSchema& schema, const Layer& layer, std::size_t type) {
    return !layer.reads_edges && !layer.last && schema.nodes[type].features == 0 &&
           layer.in[type] == layer.out;
  }
  void add_weights(Layer& layer) const;
  std::unique_ptr<RelationLayer> make_relation(const Layer& layer, const RelationType& type) const;
  void take_edges(const TypedInput& input, const GnnPass& pass, TypedRoom& room, std::size_t layer,
                  std::size_t relation) const;
  /// Where the sums of a type's outputs are: in the outputs themselves unless a norm reads them.
  RowStore& sums_of(TypedRoom& room, std::size_t layer, std::size_t type) const {
    TypedRoom::TypeRows& rows = room.layers_[layer].types[type];
    return layers_[layer].norms[type] == nullptr ? rows.outputs : rows.sums;
  }
  void forward_roots(const TypedInput& input, TypedRoom& room, std::size_t layer,
                     std::size_t type) const;
  void forward_relations(const TypedInput& input, const GnnPass& pass, TypedRoom& room,
                         std::size_t layer) const;
  void forward_transformer(const TypedInput& input, const GnnPass& pass, TypedRoom& room,
                           std::size_t layer) const;
  void finish_outputs(const GnnPass& pass, TypedRoom& room, std::size_t layer,
                      std::size_t type) const;
  void backward_type(const TypedInput& input, const GnnPass& pass, TypedRoom& room,
                     std::size_t layer, std::size_t type);
  void backward_relations(TypedRoom& room, std::size_t layer);
  void backward_transformer(TypedRoom& room, std::size_t layer);
  void backward_rows(const TypedInput& input, TypedRoom& room, std::size_t layer, std::size_t type,
                     RowStore& gradients) const;
  void add_relation_gradients(const TypedRoom& room, std::size_t layer, std::size_t relation,
                              std::size_t type, std::size_t begin, MatrixView<float> rows) const;

  GnnOptions options_;
  TypedSchema schema_;
  std::size_t num_outputs_;
  std::vector<Layer> layers_;
};

}  // namespace frugal::gnn
