#pragma once
#include <vector>

#include "tools/tgn-train/network/attention_heads.h"

namespace frugal::tgn {

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
  void forward(const LayerInput& stepped, const TgnPass& pass, MatrixView<float> out) override;
  void backward(const LayerInput& stepped, MatrixView<float> dout, MatrixView<float> dbelow,
                ParameterSteps& steps) override;
  void visit_parameters(const ParameterVisit& each) override;
  void save(Document& document) const override;
  void load(const Document& document, const std::string& path) override;
  void save_state(Document& document) const override;
  void load_state(const Document& document, const std::string& path) override;

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
  template <class Layers, class Visit>
  static void visit(Layers& self, const Visit& visit);

  std::size_t dim_;
  TimeEncoder time_;
  AttentionHeads heads_;
  DenseLayer query_, skip_;                        ///< own row -> queries of all heads, output
  std::vector<DenseLayer> keys_, values_, edges_;  ///< of each head, as AttentionLayer's; W_e
  VectorParameter value_bias_;
  std::vector<float> key_bias_;  ///< kept for the file: it has no effect

  // Of the last pass.
  RowStore own_, queries_, answers_, d_queries_, d_own_;
  std::vector<RowStore> edge_inputs_, edge_outputs_;  ///< of each head, of both uses of W_e
};

}  // namespace frugal::tgn
