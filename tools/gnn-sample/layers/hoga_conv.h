#pragma once
#include <memory>
#include <vector>

#include "libcore/nn/layer_norm.h"
#include "tools/gnn-sample/layers/conv.h"
#include "tools/gnn-sample/layers/edge_attention.h"

namespace frugal::gnn {

/// Gated self-attention among the hops of a node (HOGA; Deng et al., DAC 2024, arXiv 2403.01317,
/// section 3), whose features x_0, x_1, ... are side by side. The rows of H are h_k = W x_k + b_k,
/// as wide as all heads. U, Q, K and V are products of H with a matrix each. For each head, with
/// the columns that are its own, S = softmax(Q K^T / sqrt(out)) by rows, and Z = act(LayerNorm(U o
/// S V)), in which o multiplies number by number. The node's row is y = z_0 + sum_k a_k z_k over k
/// > 0, where a is the softmax over these k of att . z_k. Dropout is of S and of Z.
///
/// Points that differ from the paper: its logits are alpha . [z_0 || z_k]. The product with z_0 is
/// the same for all k, so the softmax does not depend on it, and it has no parameters here. The
/// scale 1 / sqrt(out) and dropout are those of the authors' program. Each hop has a bias b_k of
/// its own. Without biases, which is the paper's form, all hops but z_0 are treated alike, and of
/// one hop the network cannot tell the node's own features from it.
///
/// Points that differ from the authors' program (cornell-zhang/HOGA): heads divide the columns of
/// all hops, as in a transformer. The program reshapes otherwise: each of its heads has consecutive
/// hops with all their columns. It also has biases of Q, K and V, a dense layer after S V, several
/// such layers in sequence (its default is 4), and ReLU, batch norm and dropout in the dense layers
/// that read y.
class HogaConv : public Conv {
 public:
  /// Activation and dropout after the layer norm.
  struct Units {
    ActivationKind activation = ActivationKind::relu;
    float dropout = 0;
  };

  /// parts: the features and at least one hop, which divide the inputs. Heads are concatenated.
  HogaConv(const GatShape& shape, std::size_t parts, const Units& units);

  std::size_t num_outputs() const override { return width(); }
  bool wants_transposed() const override { return false; }
  /// In training the room has 8 width parts numbers for each target.
  std::unique_ptr<ConvRoom> make_room() const override;
  void randomize(std::uint64_t seed, std::uint64_t stream) override;
  void forward(const ConvInput& input, ConvRoom& room, MatrixView<float> out,
               const RowsDone& done) const override;
  void backward(const ConvInput& input, ConvRoom& room, const OutputGradient& gradient) override;
  void input_gradient(const ConvInput& input, const ConvRoom& room, std::size_t begin,
                      std::size_t end, MatrixView<float> rows) const override;
  std::vector<ParameterTensor> tensors() override;

 private:
  struct Room;
  struct Piece;

  std::size_t width() const { return shape_.width(); }
  std::size_t features() const { return encoder_.in(); }
  std::size_t num_weights() const { return shape_.heads * parts_ * parts_; }
  float scale() const;
  Dropout unit_dropout(const ConvInput& input) const;
  Piece piece_of(const ConvInput& input, Room& room, std::size_t begin, std::size_t end) const;
  MatrixView<float> dense_rows(const SourceRows& rows, const Piece& piece) const;
  const float* dropped_weights(const ConvInput& input, const Piece& piece, std::size_t t) const;
  void add_biases(const Piece& piece) const;
  void add_bias_gradients(std::size_t group, MatrixView<const float> dh);
  void attend(const ConvInput& input, const Piece& piece, std::size_t t) const;
  void gate(const ConvInput& input, const Piece& piece) const;
  void read_out(const Piece& piece, std::size_t t, float* out) const;
  void backward_piece(const ConvInput& input, Room& room, const Piece& piece, std::size_t group);
  void backward_read_out(const Piece& piece, std::size_t t, const float* dy, MatrixView<float> dz,
                         float* datt) const;
  void backward_attention(const ConvInput& input, const Piece& piece, std::size_t t,
                          MatrixView<const float> dmixed, MatrixView<float> dproducts) const;

  GatShape shape_;
  std::size_t parts_;
  Units units_;
  Weights encoder_;   ///< [features, width]
  Weights bias_;      ///< [parts, width], or empty
  Weights products_;  ///< [width, 4 width] of gates, queries, keys and values
  LayerNorm norm_;
  Weights att_;                      ///< a row, of the read-out
  std::vector<std::uint32_t> hops_;  ///< 0, 1, ...
};

}  // namespace frugal::gnn
