#pragma once
#include <vector>

#include "tools/tgn-train/network/neighbor_rows.h"

namespace frugal {

/// Attention as Graphcore's temporal graph network has it, PyTorch Geometric's TransformerConv (Shi
/// et al., IJCAI 2021, equations 3 and 4): keys are W_k m_j + W_e e_j and values W_v m_j + W_e e_j
/// of a neighbour's row m_j and its edge e_j = [features | phi], and the node's own row is added
/// through a layer of its own. Reassociated as AttentionLayer, W_e with the keys and with the
/// values. Time encodings have an encoder of their own.
class TransformerLayer : public EmbeddingLayer {
 public:
  TransformerLayer(const TgnOptions& options, const TgnInputs& inputs);

  std::uint64_t num_parameters() const override;
  void randomize(std::uint64_t seed, std::uint64_t stream) override;
  void forward(const LayerInput& input, const TgnPass& pass, MatrixView<float> out) override;
  void backward(const LayerInput& input, MatrixView<float> dout, MatrixView<float> dbelow,
                ParameterSteps& steps) override;
  void prepare_training(const OptimizerOptions& optimizer) override;
  void save(Document& document) const override;
  void load(const Document& document, const std::string& path) override;
  void save_state(Document& document) const override;
  void load_state(const Document& document, const std::string& path) override;

 private:
  std::size_t head_dim() const { return dim_ / heads_; }
  std::size_t edge_width() const { return neighbors_.width() - dim_; }
  std::size_t width() const { return neighbors_.width(); }
  /// Of head h: columns [begin, end) of its block of `size` columns.
  static MatrixView<float> head(RowStore& rows, std::size_t h, std::size_t size, std::size_t begin,
                                std::size_t end) {
    return rows.columns(h * size + begin, h * size + end);
  }
  LayerInput with_own_time(const LayerInput& input);
  Attention describe(const LayerInput& input, MatrixView<float> dbelow);
  void fill_own(const LayerInput& input);
  void values_backward(MatrixView<const float> dout, ParameterSteps& steps);
  void keys_backward(ParameterSteps& steps);
  void edges_step(std::size_t h, MatrixView<const float> dout, ParameterSteps& steps);
  template <class Layers, class Visit>
  static void visit(Layers& self, const Visit& visit);

  std::size_t dim_, heads_;
  float dropout_;
  TimeEncoder time_;
  NeighborRows neighbors_;
  DenseLayer query_, skip_;                        ///< own row -> queries of all heads, output
  std::vector<DenseLayer> keys_, values_, edges_;  ///< of each head, as AttentionLayer's; W_e
  VectorParameter value_bias_;
  std::vector<float> key_bias_;  ///< kept for the file: it has no effect

  // Of the last pass.
  RowStore own_, queries_, projected_, sums_, answers_;
  std::vector<float> weights_, keep_, weight_sums_;
  RowStore d_sums_, d_projected_, d_queries_, d_own_;
  std::vector<RowStore> edge_inputs_, edge_outputs_;  ///< of each head, of both uses of W_e
  std::vector<float> d_weight_sums_;
};

}  // namespace frugal
