#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "libcore/nn/batch_norm.h"
#include "libcore/nn/layer_norm.h"
#include "libcore/parallel/communicator.h"
#include "libcore/tensors/tensor_file.h"
#include "tools/gnn-sample/data/sparse_rows.h"
#include "tools/gnn-sample/layers/activation.h"
#include "tools/gnn-sample/layers/conv.h"
#include "tools/gnn-sample/layers/gnn_options.h"
#include "tools/gnn-sample/layers/row_chunks.h"
#include "tools/gnn-sample/layers/sparse_products.h"
#include "tools/gnn-sample/network/conv_kinds.h"
#include "tools/gnn-sample/network/shortcut.h"

namespace frugal::gnn {

/// Shift and factor of each column of hop features: the model reads (x - mean) factor.
struct HopScaling {
  std::vector<float> mean, factor;  ///< [(hops + 1) features]
};

/// A mini-batch of message flow, lent by the caller during both passes.
struct GnnBatch {
  /// Blocks of the layers, in the order of computation: the first reads features, the last one's
  /// targets are the seeds. The targets of each are the sources of the next.
  std::span<const Block> blocks;
  /// Nodes of the first block's sources, which are rows of `features`. Empty: `features` has the
  /// sources' rows, one by one.
  std::span<const NodeId> nodes;
  FeatureView features;
  /// neighbor_counts() of the first block's sources in the graph, for GCN.
  std::span<const std::uint32_t> degrees;
  /// The gradient of the features will be asked for: feature_gradient(). They are dense then.
  bool wants_gradient = false;
  /// weighted_degrees() of the same sources, for GCN that reads the weights of edges.
  std::span<const WeightedDegree> weighted_degrees;
};

/// State of a model for a batch between its passes, and working memory. It is reused; make one for
/// each batch in flight.
class GnnRoom {
 private:
  friend class GnnModel;
  struct LayerRoom {
    std::unique_ptr<ConvRoom> conv;
    RowStore sums;       ///< with a norm: outputs of the convolution
    RowStore outputs;    ///< [targets, outputs] after norm, activation and dropout
    RowStore gradients;  ///< with a norm: gradients of the norm's output
    BatchNorm::Batch norm;
    TransposedBlock transposed;
    SparseColumns columns;     ///< sage_ri: for sparse features
    RowStore states, dstates;  ///< sage_ri: outputs plus shortcut; their gradients
  };
  std::vector<LayerRoom> layers_;
  std::size_t first_ = 0;                ///< the layer that reads the batch's features
  RowStore features_;                    ///< features with input dropout; or unused
  SparseRows sparse_features_;           ///< sparse features with input dropout
  RowStore joined_, djoined_;            ///< the seeds' rows of all blocks, and their gradients
  MatrixView<const float> joined_rows_;  ///< the joined rows in use: joined_, or the caller's
};

/// A graph neural network for mini-batches. Forward passes and exact gradients use num_threads()
/// threads; results are the same to the bit for any number.
class GnnModel {
 public:
  /// num_outputs: number of classes, or size of an embedding.
  GnnModel(const GnnOptions& options, std::size_t num_features, std::size_t num_outputs);

  const GnnOptions& options() const { return options_; }
  std::size_t num_features() const { return num_features_; }
  /// Columns of GnnBatch::features: the features or, if the model reads hops, those of all hops.
  std::size_t num_inputs() const {
    return num_features_ * (conv_kind(options_.kind).reads_hops ? options_.hops + 1 : 1);
  }
  std::size_t num_outputs() const { return num_outputs_; }
  std::size_t num_parameters();
  /// Models that read hops: the scaling of these features, which is stored with the parameters.
  void set_hop_scaling(const HopScaling& scaling);
  HopScaling hop_scaling() const;
  /// Number of convolutions and dense layers.
  std::size_t num_layers() const { return layers_.size(); }
  void randomize(std::uint64_t seed);

  std::unique_ptr<GnnRoom> make_room() const;
  /// Outputs of the seeds, [seeds, outputs], before softmax; valid until the next use of the room.
  MatrixView<const float> forward(const GnnBatch& batch, const GnnPass& pass, GnnRoom& room) const;
  /// Computes the layers of one block only, without training. inputs: that block, with the result
  /// of forward_block() for the block before as features. Returns [targets, block_outputs(block)],
  /// the next block's input or the model's outputs.
  MatrixView<const float> forward_block(std::size_t block, const GnnBatch& inputs,
                                        GnnRoom& room) const;
  std::size_t block_outputs(std::size_t block) const;
  /// True if the last layers read the results of forward_block() for all blocks, as num_joined()
  /// columns: concatenated, sage-ri after the features, or their sum. The columns of a block begin
  /// at joined_column(block).
  bool joins_blocks() const { return joins_features() || jumps(); }
  bool joins_features() const { return conv_kind(options_.kind).joins_blocks; }
  bool sums_blocks() const { return jumps() && options_.jumping == Jumping::sum; }
  std::size_t num_joined() const {
    return joined_column(options_.num_layers) + (sums_blocks() ? block_outputs(0) : 0);
  }
  std::size_t joined_column(std::size_t block) const;
  /// Computes these last layers only, without training, from joined rows to the model's outputs.
  MatrixView<const float> forward_joined(MatrixView<const float> rows, GnnRoom& room) const;
  /// Must follow forward() with the same batch and pass. Adds the gradients of a loss to those of
  /// the parameters. gradient: of the loss by the outputs, [seeds, outputs].
  void backward(const GnnBatch& batch, const GnnPass& pass, GnnRoom& room,
                MatrixView<const float> gradient);
  /// Must follow backward() of a batch that wants it. Writes the gradient of the loss by the
  /// features of sources [begin, end) of the first block, on the calling thread.
  void feature_gradient(const GnnBatch& batch, const GnnPass& pass, const GnnRoom& room,
                        std::size_t begin, std::size_t end, MatrixView<float> rows) const;

  void prepare_training(const OptimizerOptions& optimizer);
  /// Makes an optimiser step with the gradients added since the last one.
  void step(float rate);
  /// The two halves of step(): take_gradient() returns the gradients added since the last step,
  /// [gradient_size()], and resets them. apply_gradient() makes an optimiser step with such
  /// gradients.
  std::size_t gradient_size();
  std::vector<float> take_gradient();
  void apply_gradient(std::span<const float> gradient, float rate);
  /// For tests: the gradients since the last step, with the names and the layout of save().
  std::vector<std::pair<std::string, std::vector<float>>> gradients();

  /// Calls visit(name, weights, trained) for each matrix of parameters, with the name of its first
  /// tensor; and visit(name, norm) for each norm.
  void visit_weights(const std::function<void(const std::string&, Weights&, bool)>& visit);
  void visit_norms(const std::function<void(const std::string&, BatchNorm&)>& visit);

  /// Saves or loads the parameters, with PyG's names where these exist ("convs.0.lin_l.weight").
  /// Loading fails (bad_input) with `path` if a tensor is missing or has another shape.
  void save(Document& document);
  void load(const Document& document, const std::string& path);
  /// Saves or loads the optimiser's state, in tensors "optimizer.<parameter>". Requires
  /// prepare_training().
  void save_state(Document& document);
  void load_state(const Document& document, const std::string& path);

 private:
  struct Layer {
    std::string name;
    std::unique_ptr<Conv> conv;
    std::string norm_name;
    std::unique_ptr<BatchNorm> norm;
    std::unique_ptr<LayerNorm> row_norm;  ///< instead of `norm`
    ActivationKind activation = ActivationKind::relu;
    bool has_activation = true;
    float dropout = 0;
    std::size_t block = 0;
    bool dense = false;   ///< reads the block's targets only
    bool joined = false;  ///< the last of its block, whose outputs are joined
    bool reads_joined = false;
    bool residual = false;  ///< sage_ri: the targets' input rows are added to the outputs
    Shortcut shortcut;      ///< sage_ri: maps these rows; empty if the widths agree
  };

  void add_conv(std::size_t block, std::size_t in, std::size_t out, bool last);
  void add_mlp(Layer first, std::size_t out, bool last);
  void add_layer(Layer layer, const std::string& norm_name, bool last);
  void add_chain();
  void add_dense_layers(std::size_t in);
  void add_inception();
  bool jumps() const {
    return !joins_features() && options_.jumping != Jumping::none && options_.head_layers > 0;
  }
  const Block& block_of(const GnnBatch& batch, std::size_t layer) const {
    return batch.blocks[batch.blocks.size() == 1 ? 0 : layers_[layer].block];
  }
  ConvInput input_of(const GnnBatch& batch, const GnnPass& pass, const GnnRoom& room,
                     std::size_t layer) const;
  void forward_layer(const ConvInput& input, const GnnPass& pass, GnnRoom& room,
                     std::size_t layer) const;
  void forward_row_norm(const ConvInput& input, GnnRoom& room, std::size_t layer,
                        const RowsDone& finish) const;
  void backward_layer(const GnnBatch& batch, const GnnPass& pass, GnnRoom& room, std::size_t layer,
                      const OutputGradient& gradient);
  void forward_rows(const ConvInput& input, GnnRoom& room, std::size_t layer, std::size_t begin,
                    std::size_t end) const;
  void join_rows(const GnnBatch& batch, const GnnPass& pass, GnnRoom& room) const;
  void join_layer(GnnRoom& room, std::size_t layer, std::size_t begin, std::size_t end) const;
  void input_gradient(const ConvInput& input, const GnnRoom& room, std::size_t layer,
                      std::size_t begin, std::size_t end, MatrixView<float> rows) const;
  void output_gradient(const ConvInput& input, GnnRoom& room, std::size_t layer, std::size_t begin,
                       MatrixView<float> rows) const;
  void split_joined(const ConvInput& input, GnnRoom& room, std::size_t layer) const;
  void drop_features(const GnnBatch& batch, const GnnPass& pass, GnnRoom& room) const;
  void drop_sparse_features(const SourceRows& features, const Dropout& dropout, std::size_t rows,
                            SparseRows& to) const;
  std::vector<ParameterTensor> tensors();
  std::vector<NamedWeights> weights() { return trained_weights(tensors()); }

  GnnOptions options_;
  std::size_t num_features_, num_outputs_;
  std::vector<Layer> layers_;
  Weights hop_mean_, hop_factor_;  ///< rows, of models that read hops; or nothing
};

}  // namespace frugal::gnn
