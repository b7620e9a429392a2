#pragma once
#include <memory>
#include <vector>

#include "tools/gnn-sample/network/conv.h"
#include "tools/gnn-sample/network/shortcut.h"

namespace frugal::gnn {

/// Any convolution plus a linear map of the targets' own rows, conv(x)_t + W x_t + b (Luo, Shi, Wu,
/// NeurIPS 2024, arXiv 2406.08993, section 3). The map's tensors are residual.weight and
/// residual.bias.
class ResidualConv : public Conv {
 public:
  ResidualConv(std::unique_ptr<Conv> conv, std::size_t in, bool bias, Precision precision);

  std::size_t num_outputs() const override { return conv_->num_outputs(); }
  bool wants_transposed() const override { return conv_->wants_transposed(); }
  std::unique_ptr<ConvRoom> make_room() const override;
  void randomize(std::uint64_t seed, std::uint64_t stream) override;
  void forward(const ConvInput& input, ConvRoom& room, MatrixView<float> out,
               const RowsDone& done) const override;
  void backward(const ConvInput& input, ConvRoom& room, const OutputGradient& gradient) override;
  void input_gradient(const ConvInput& input, const ConvRoom& room, std::size_t begin,
                      std::size_t end, MatrixView<float> rows) const override;
  std::vector<ParameterTensor> tensors() override;

 private:
  std::unique_ptr<Conv> conv_;
  Shortcut linear_;
};

}  // namespace frugal::gnn
