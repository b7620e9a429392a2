#pragma once
#include <memory>
#include <vector>

#include "tools/gnn-sample/layers/conv.h"

namespace frugal::gnn {

/// A fully connected layer, y_t = W x_t + b: a convolution without neighbours.
class DenseConv : public Conv {
 public:
  DenseConv(std::size_t in, std::size_t out, bool bias, Precision precision);

  std::size_t num_outputs() const override { return weights_.out(); }
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
  Weights weights_;
  Weights bias_;  ///< a row, or nothing
};

}  // namespace frugal::gnn
