#pragma once
#include <memory>
#include <vector>

#include "tools/gnn-sample/layers/conv.h"
#include "tools/gnn-sample/layers/edge_attention.h"

namespace frugal::gnn {

/// Attention over the hops of a node (SAGN; Sun, Gu, Hu, arXiv 2104.09376, section 4.1), whose
/// features x_0, x_1, ... are side by side. With h_k = W_k x_k + b_k for each head, the node's row
/// is sum_k a_k h_k + R x_0. a_k is the softmax over k of LeakyReLU(att_src . h_k + att_dst . h_0).
/// The encoders of hops are dense layers; the layers of the model's head are the paper's last MLP.
class SagnConv : public Conv {
 public:
  /// parts: the features and at least one hop, which divide the inputs.
  SagnConv(const GatShape& shape, std::size_t parts);

  std::size_t num_outputs() const override { return shape_.outputs(); }
  bool wants_transposed() const override { return false; }
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
  struct Encoder {
    Weights weights;  ///< [features, heads * out]
    Weights bias;     ///< a row, or empty
  };

  std::size_t width() const { return shape_.width(); }
  void encode(MatrixView<const float> x, std::size_t begin, std::size_t end, Room& room) const;
  void add_hop_gradients(Room& room, std::size_t group, std::size_t begin, std::size_t end);
  void add_sparse_gradients(Room& room);

  GatShape shape_;
  std::vector<Encoder> encoders_;    ///< of each hop
  Weights residual_;                 ///< [features, outputs]
  Weights att_source_, att_target_;  ///< rows [heads * out]
};

}  // namespace frugal::gnn
