#pragma once
#include <vector>

#include "tools/tgn-train/network/attention_heads.h"

namespace frugal::tgn {

/// Attention of Graphcore's temporal graph network, PyTorch Geometric's TransformerConv (Shi et
/// al., IJCAI 2021, equations 3 and 4). For a neighbour's row m_j and its edge e_j = [features |
/// phi], the key is W_k m_j + W_e e_j and the value W_v m_j + W_e e_j. The node's own row is added
/// through a layer of its own. Products are reassociated as in AttentionLayer, those with W_e
/// together with keys and values. The layer has its own time encoder.
class TransformerLayer : public EmbeddingLayer {
 public:
  TransformerLayer(const TgnOptions& options, const TgnInputs& inputs);

  void randomize(std::uint64_t seed, std::uint64_t stream) override;
  void forward(const LayerInput& stepped, const TgnPass& pass, MatrixView<float> out) override;
  void backward(const LayerInput& stepped, MatrixView<float> dout, MatrixView<float> dbelow,
                ParameterSteps& steps) override;
  void visit_parameters(const ParameterVisit& each) override;
  void save(Document& document) const override;
  void load(const Document& document, const std::string& path) override;

 private:
  std::size_t head_dim() const { return heads_.head_dim(); }
  std::size_t width() const { return heads_.width(); }
  std::size_t edge_width() const { return width() - dim_; }
  /// Columns of head h in a matrix of all heads' queries.
  MatrixView<float> head(RowStore& rows, std::size_t h) const {
    return rows.columns(h * head_dim(), (h + 1) * head_dim());
  }
  LayerInput with_own_time(const LayerInput& input);
  void values_backward(MatrixView<const float> dout, ParameterSteps& steps);
  void keys_backward(ParameterSteps& steps);
  void edges_step(std::size_t h, MatrixView<const float> dout, ParameterSteps& steps);

  std::size_t dim_;
  TimeEncoder time_;
  AttentionHeads heads_;
  DenseLayer query_, skip_;  ///< own row -> queries of all heads, output
  /// for each head, as in AttentionLayer; edges_: W_e
  std::vector<DenseLayer> keys_, values_, edges_;
  VectorParameter value_bias_;
  std::vector<float> key_bias_;  ///< only for the file: it has no effect

  // Rows of the last pass.
  RowStore own_, queries_, answers_, d_queries_, d_own_;
  std::vector<RowStore> edge_inputs_, edge_outputs_;  ///< for each head, both uses of W_e
};

}  // namespace frugal::tgn
