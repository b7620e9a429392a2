#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "libcore/base/view.h"
#include "libcore/nn/row_store.h"
#include "libcore/nn/weights.h"
#include "tools/gnn-sample/layers/edge_attention.h"
#include "tools/gnn-sample/network/shortcut.h"
#include "tools/gnn-sample/typed/head_maps.h"
#include "tools/gnn-sample/typed/merged_edges.h"
#include "tools/gnn-sample/typed/schema.h"

namespace frugal::gnn {

struct TransformerShape {
  std::size_t heads = 1;
  std::size_t out = 0;  ///< columns of each head
  bool bias = true;
  float dropout = 0;                     ///< of the weights of edges
  Precision precision = Precision::f32;  ///< of the products of types; those of relations are f32

  std::size_t width() const { return heads * out; }
};

/// Input of a layer for a batch, lent by the caller during both passes.
struct TransformerInput {
  std::vector<Block> blocks;                    ///< [relations] of the schema
  std::vector<MatrixView<const float>> rows;    ///< [types] of the sources; targets are the first
  std::vector<std::uint32_t> targets, sources;  ///< [types]
  std::uint64_t number = 0;                     ///< of the layer, for random masks
  GnnPass pass;
};

/// State of a layer for a batch between its passes, and working memory. It is reused.
class TransformerRoom {
 private:
  friend class TransformerLayer;
  struct Relation {
    UsedEdges edges;
    std::size_t first = 0;  ///< row of its first source in the tables of its target type
  };
  struct Type {
    RowStore keys, values, queries;     ///< K and V of the sources, Q of the targets
    RowStore mixed;                     ///< [targets, width] sums of messages
    RowStore active;                    ///< GELU of `mixed`
    RowStore mapped;                    ///< [targets, width] products of `active`
    MergedEdges edges;                  ///< of all relations that lead to the type
    RowStore source_keys, messages;     ///< [sources of edges, width] by relation
    EdgeAttention attention;            ///< over `edges`
    RowStore dkeys, dvalues, dqueries;  ///< gradients
    RowStore dmapped, dmixed;
    SparseColumns columns;
  };
  std::vector<Relation> relations_;
  std::vector<Type> types_;
};

/// A layer of the Heterogeneous Graph Transformer (Hu, Dong, Wang, Sun, WWW 2020, equations 3 to
/// 5). For a target v of type t, with u the source of an edge of relation r, of type s, for each
/// head with d columns,
///
///   a_vu = softmax over the edges of v in all relations of (K_s x_u W_att,r) . (Q_t x_v) mu_r /
///          sqrt(d)
///   h_v  = sum over u of a_vu V_s x_u W_msg,r
///   y_v  = g (A_t GELU(h_v) + b_t) + (1 - g) x_v,  g = sigmoid(skip_t),
///
/// with h_v = 0 without edges. K, Q, V and A have biases, and heads lie side by side. Differences
/// from the paper: equation 5 adds x_v as it is, while the gate is that of the authors' program and
/// of PyG's HGTConv; the relative temporal encoding (equation 6) is left out; mu is one number for
/// each relation and head, as a relation has one pair of types here; GELU is approximated by tanh.
/// A type that no relation leads to keeps its rows, which HGTConv drops.
class TransformerLayer {
 public:
  /// writes: [types] whose rows it computes; all types have rows of `width` columns.
  TransformerLayer(const TypedSchema& schema, std::vector<bool> writes,
                   const TransformerShape& shape);

  /// Number of weights of such a layer; makes none.
  static std::uint64_t count_weights(const TypedSchema& schema, const std::vector<bool>& writes,
                                     std::uint64_t heads, std::uint64_t columns);

  TransformerRoom make_room() const;
  /// Draws initial values with the bounds of HGTConv, from streams up to stream + 2^24.
  void randomize(std::uint64_t seed, std::uint64_t stream);

  /// Computes the rows of the targets of all types that the layer writes, on all threads. Results
  /// are the same to the bit for any number of them. sums: [types].
  void forward(const TransformerInput& input, TransformerRoom& room,
               const std::vector<RowStore*>& sums) const;
  /// Adds to the gradients of the weights and prepares those of the rows, on all threads.
  /// gradients: [types] of the targets' rows.
  void backward(const TransformerInput& input, TransformerRoom& room,
                const std::vector<MatrixView<const float>>& gradients);
  /// Adds the gradient of the type's rows from `begin` on, on the calling thread. gradient: of the
  /// targets' rows, or without rows if the layer does not write the type.
  void add_input_gradient(const TransformerRoom& room, std::size_t type, std::size_t begin,
                          MatrixView<const float> gradient, MatrixView<float> rows) const;

  /// Parameters. layer: begin of their names. Of a type: "key.", "value.", "query." and
  /// "output.TYPE.weight" and ".bias", "skip.TYPE". Of a relation: "attention." and
  /// "message.NAME.weight" (HeadMaps), "prior.NAME" [heads].
  std::vector<ParameterTensor> tensors(const std::string& layer);

 private:
  struct Type {
    Shortcut key, value;     ///< empty unless a relation that is read begins here
    Shortcut query, output;  ///< empty unless the layer mixes messages for the type
    Weights skip;            ///< a number
    bool written = false, is_source = false, is_target = false;
  };
  struct Relation {
    HeadMaps attention, message;
    Weights prior;  ///< mu, a row
    bool read = false;
  };

  /// Slot of the working rows of chunks; Shortcut and EdgeAttention use others.
  static constexpr std::size_t kRowsSlot = 1;
  static MatrixView<const float> view_of(const RowStore& rows) { return rows.view(); }
  /// g of a type.
  float gate(std::size_t type) const;
  std::vector<float> factors_of(const Relation& relation) const;
  void project(const TransformerInput& input, TransformerRoom& room, std::size_t type) const;
  void merge(const TransformerInput& input, TransformerRoom& room, std::size_t type) const;
  void fill_tables(TransformerRoom& room, std::size_t relation) const;
  void attend(const TransformerInput& input, TransformerRoom& room, std::size_t type,
              RowStore& sums) const;
  void backward_target(const TransformerInput& input, TransformerRoom& room, std::size_t type,
                       MatrixView<const float> gradient);
  void backward_relation(TransformerRoom& room, std::size_t relation);
  void backward_maps(const TransformerInput& input, TransformerRoom& room, std::size_t type);

  TypedSchema schema_;
  TransformerShape shape_;
  std::vector<Type> types_;
  std::vector<Relation> relations_;
};

}  // namespace frugal::gnn
