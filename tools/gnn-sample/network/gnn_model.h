#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "libcore/nn/batch_norm.h"
#include "libcore/parallel/communicator.h"
#include "libcore/tensors/tensor_file.h"
#include "tools/gnn-sample/data/sparse_rows.h"
#include "tools/gnn-sample/network/activation.h"
#include "tools/gnn-sample/network/conv.h"
#include "tools/gnn-sample/network/gnn_options.h"
#include "tools/gnn-sample/network/row_chunks.h"
#include "tools/gnn-sample/network/sparse_products.h"

namespace frugal::gnn {

/// A mini-batch of message flow, lent by the caller for both passes.
struct GnnBatch {
  /// One for each layer, in the order they are computed: the first reads features, the last's
  /// targets are the seeds. The targets of each are the sources of the next.
  std::span<const Block> blocks;
  /// The nodes of the first block's sources, whose features are rows of `features`; none: the
  /// features are those of the sources, row by row.
  std::span<const NodeId> nodes;
  FeatureView features;
  /// neighbor_counts() of the graph of the first block's sources, for GCN.
  std::span<const std::uint32_t> degrees;
};

/// What a model keeps of a batch between its passes, and its working memory: reused, so made once
/// for each batch that is in work at the same time.
class GnnRoom {
 private:
  friend class GnnModel;
  struct LayerRoom {
    std::unique_ptr<ConvRoom> conv;
    RowStore sums;       ///< with a norm: the convolution's output
    RowStore outputs;    ///< [targets, outputs] behind norm, activation and dropout
    RowStore gradients;  ///< with a norm: of the norm's output
    BatchNorm::Batch norm;
    TransposedBlock transposed;
    SparseColumns columns;     ///< sage_ri: of sparse features
    RowStore states, dstates;  ///< sage_ri: outputs and what goes past the layer; gradients
  };
  std::vector<LayerRoom> layers_;
  std::size_t first_ = 0;       ///< the layer that reads the batch's features
  RowStore features_;           ///< with input dropout, or the same
  SparseRows sparse_features_;  ///< of sparse ones
  RowStore joined_, djoined_;   ///< sage_ri: the seeds' rows of all layers, and their gradients
  MatrixView<const float> joined_rows_;  ///< those that are read: joined_, or of the caller
};

/// A graph neural network for mini-batches: forward passes and exact gradients on num_threads()
/// threads, the same bits for any number of them.
class GnnModel {
 public:
  /// num_outputs: classes, or numbers of an embedding.
  GnnModel(const GnnOptions& options, std::size_t num_features, std::size_t num_outputs);

  const GnnOptions& options() const { return options_; }
  std::size_t num_features() const { return num_features_; }
  std::size_t num_outputs() const { return num_outputs_; }
  std::size_t num_parameters();
  /// Convolutions and dense layers.
  std::size_t num_layers() const { return layers_.size(); }
  void randomize(std::uint64_t seed);

  std::unique_ptr<GnnRoom> make_room() const;
  /// The outputs of the seeds, [seeds, outputs], before any softmax. They stay in the room until
  /// its next use.
  MatrixView<const float> forward(const GnnBatch& batch, const GnnPass& pass, GnnRoom& room) const;
  /// The layers of block `block` alone, without training: `inputs` holds that block and, as
  /// features, what forward_block() of the block before made. [targets, block_outputs(block)]:
  /// what the next block reads, or the model's outputs.
  MatrixView<const float> forward_block(std::size_t block, const GnnBatch& inputs,
                                        GnnRoom& room) const;
  std::size_t block_outputs(std::size_t block) const;
  /// Whether the last layers read what forward_block() makes of all blocks side by side, behind the
  /// features (sage-ri): so many columns, block `block`'s from joined_column(block) on.
  bool joins_blocks() const { return options_.kind == GnnKind::sage_ri; }
  std::size_t num_joined() const { return joined_column(options_.num_layers); }
  std::size_t joined_column(std::size_t block) const;
  /// Those last layers alone, without training: joined rows to the model's outputs.
  MatrixView<const float> forward_joined(MatrixView<const float> rows, GnnRoom& room) const;
  /// After forward() of the same batch and pass: adds the gradients of a loss, whose gradient by
  /// the outputs is given, [seeds, outputs], to those of the parameters.
  void backward(const GnnBatch& batch, const GnnPass& pass, GnnRoom& room,
                MatrixView<const float> gradient);

  void prepare_training(const OptimizerOptions& optimizer);
  /// One step of all parameters with the gradients since the last one.
  void step(float rate);
  /// The two parts of a step: the gradients since the last one, [gradient_size()], which begin
  /// anew; a step with such gradients.
  std::size_t gradient_size();
  std::vector<float> take_gradient();
  void apply_gradient(std::span<const float> gradient, float rate);
  /// The gradients since the last step by the names of save(), in its layout: for tests.
  std::vector<std::pair<std::string, std::vector<float>>> gradients();

  /// Calls visit(name, weights, whether they are trained) for each matrix of parameters, with the
  /// name of its first tensor, and visit(name, norm) for each norm.
  void visit_weights(const std::function<void(const std::string&, Weights&, bool)>& visit);
  void visit_norms(const std::function<void(const std::string&, BatchNorm&)>& visit);

  /// The parameters, with PyG's names where it has them ("convs.0.lin_l.weight"). Loading fails
  /// (bad_input) with `path` where a tensor is missing or of another shape.
  void save(Document& document);
  void load(const Document& document, const std::string& path);
  /// The optimiser's state, tensors "optimizer.<parameter>"; only after prepare_training().
  void save_state(Document& document);
  void load_state(const Document& document, const std::string& path);

 private:
  struct Layer {
    std::string name;
    std::unique_ptr<Conv> conv;
    std::string norm_name;
    std::unique_ptr<BatchNorm> norm;
    ActivationKind activation = ActivationKind::relu;
    bool has_activation = true;
    float dropout = 0;
    std::size_t block = 0;
    bool dense = false;  ///< sees the block's targets alone
    // sage_ri:
    bool residual = false;  ///< the targets' input rows are added to the outputs
    Weights shortcut;       ///< by these weights, or none where the widths agree
    Weights shortcut_bias;  ///< a row, where there are weights
    bool reads_joined = false;
  };

  struct NamedWeights {
    std::string name;
    Weights* weights;
  };
  /// What one thread steps.
  struct WeightPiece {
    Weights* weights;
    std::size_t number;
    std::size_t begin;  ///< of its gradient in that of all
  };

  void add_conv(std::size_t block, std::size_t in, std::size_t out, bool last);
  void add_gin(std::size_t block, std::size_t in, std::size_t out, bool last);
  void add_layer(Layer layer, const std::string& norm_name, bool last);
  void add_chain();
  void add_dense_layers(std::size_t in);
  void add_inception();
  const Block& block_of(const GnnBatch& batch, std::size_t layer) const {
    return batch.blocks[batch.blocks.size() == 1 ? 0 : layers_[layer].block];
  }
  ConvInput input_of(const GnnBatch& batch, const GnnPass& pass, const GnnRoom& room,
                     std::size_t layer) const;
  void forward_layer(const ConvInput& input, const GnnPass& pass, GnnRoom& room,
                     std::size_t layer) const;
  void backward_layer(const GnnBatch& batch, const GnnPass& pass, GnnRoom& room, std::size_t layer,
                      const OutputGradient& gradient);
  void forward_rows(const ConvInput& input, GnnRoom& room, std::size_t layer, std::size_t begin,
                    std::size_t end) const;
  void join_rows(const GnnBatch& batch, const GnnPass& pass, GnnRoom& room) const;
  void input_gradient(const ConvInput& input, const GnnRoom& room, std::size_t layer,
                      std::size_t begin, std::size_t end, MatrixView<float> rows) const;
  void output_gradient(const ConvInput& input, GnnRoom& room, std::size_t layer, std::size_t begin,
                       MatrixView<float> rows) const;
  void split_joined(const ConvInput& input, GnnRoom& room, std::size_t layer) const;
  void backward_shortcut(const ConvInput& input, GnnRoom& room, std::size_t layer);
  void drop_features(const GnnBatch& batch, const GnnPass& pass, GnnRoom& room) const;
  void drop_sparse_features(const SourceRows& features, const Dropout& dropout, std::size_t rows,
                            SparseRows& to) const;
  std::vector<ParameterTensor> tensors();
  std::vector<NamedWeights> weights();
  std::vector<WeightPiece> pieces();
  void finish_step();

  GnnOptions options_;
  std::size_t num_features_, num_outputs_;
  std::vector<Layer> layers_;
};

}  // namespace frugal::gnn
