#pragma once
#include <memory>
#include <vector>

#include "tools/gnn-sample/layers/conv.h"

namespace frugal::gnn {

/// The sum and first layer of a graph isomorphism network whose edges have features: y_t = W ((1 +
/// epsilon) x_t + sum_j ReLU(x_j + E e_tj + c)) + b, with the features e_tj of the edge from j (Hu
/// et al., ICLR 2020, arXiv 1905.12265; names and initial values as PyG's GINEConv). The rest of
/// its MLP are layers of their own.
class GineConv : public Conv {
 public:
  struct Size {
    std::size_t in = 0, out = 0;
    std::size_t edge = 1;  ///< features of an edge
  };
  GineConv(const Size& size, bool bias, bool train_epsilon, Precision precision);

  std::size_t num_outputs() const override { return weights_.out(); }
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
  float own() const { return 1 + epsilon_.values()(0, 0); }
  MatrixView<float> messages(const ConvInput& input, std::size_t first, std::size_t last) const;
  void add_message_gradients(const ConvInput& input, Room& room, std::size_t group,
                             std::size_t begin, std::size_t end);
  void add_epsilon_gradient(const ConvInput& input, std::size_t group, std::size_t begin,
                            MatrixView<const float> dsums);

  Weights edge_weights_;  ///< E
  Weights edge_bias_;     ///< c, a row
  Weights weights_;
  Weights bias_;     ///< a row, or nothing
  Weights epsilon_;  ///< one number
  bool train_epsilon_;
};

}  // namespace frugal::gnn
