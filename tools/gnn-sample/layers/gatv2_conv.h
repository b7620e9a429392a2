#pragma once
#include <memory>
#include <vector>

#include "tools/gnn-sample/layers/conv.h"
#include "tools/gnn-sample/layers/edge_attention.h"

namespace frugal::gnn {

/// Graph attention whose logits rank neighbours differently for each target (GATv2; Brody, Alon,
/// Yahav, ICLR 2022, equation 7). With l = W_l x + b_l and r = W_r x + b_r for each head, the row
/// of target t is sum_j a_tj l_j over its neighbours and itself. a_tj is the softmax over j of att
/// . LeakyReLU(l_j + r_t). Names are those of PyG's GATv2Conv.
class GatV2Conv : public Conv {
 public:
  explicit GatV2Conv(const GatShape& shape);

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
  struct Transform {
    Weights weights;  ///< [in, heads * out]
    Weights bias;     ///< a row, or empty

    void apply(const SourceRows& rows, std::size_t begin, MatrixView<float> to) const;
    void add_gradient(const SourceRows& rows, std::size_t group, std::size_t begin,
                      MatrixView<const float> gradient);
  };

  std::size_t width() const { return shape_.width(); }
  void attend(Room& room, std::size_t t) const;
  void add_target_gradients(Room& room, float* datt, std::size_t t) const;
  void add_source_gradient(Room& room, std::size_t s, float* to) const;

  GatShape shape_;
  Transform left_, right_;  ///< of sources and of targets
  Weights att_;             ///< row [heads * out]
  Weights bias_;            ///< a row, or empty
};

}  // namespace frugal::gnn
