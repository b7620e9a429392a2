#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "libcore/nn/weights.h"
#include "tools/gnn-sample/layers/conv.h"
#include "tools/gnn-sample/layers/sparse_products.h"

namespace frugal::gnn {

/// A linear path past a convolution: x W + b for the input rows x of the block's targets.
class Shortcut {
 public:
  /// No path.
  Shortcut() = default;
  Shortcut(std::size_t in, std::size_t out, bool bias, Precision precision);

  bool empty() const { return weights_.size() == 0; }
  /// Draws initial values within +-1 / sqrt(in), from the streams `stream` and `stream` + 1.
  void randomize(std::uint64_t seed, std::uint64_t stream);
  /// Draws them within +-bound.
  void randomize(double bound, std::uint64_t seed, std::uint64_t stream);

  /// out = x W + b + beta out for the targets from `begin` on, as many as out has rows, on the
  /// calling thread. beta: 0 or 1.
  void forward(const SourceRows& rows, std::size_t begin, MatrixView<float> out, float beta) const;
  /// Adds to the gradients of W and b, on all threads. gradient: of the outputs, [targets, out].
  /// columns: working memory for sparse rows.
  void backward(const SourceRows& rows, MatrixView<const float> gradient, SparseColumns& columns);
  /// Adds the gradient of the input rows, on the calling thread. gradient: rows of backward()'s.
  void add_input_gradient(MatrixView<const float> gradient, MatrixView<float> rows) const;

  /// Tensors `name`.weight [out, in] and, if there is one, `name`.bias [out].
  std::vector<ParameterTensor> tensors(const std::string& name);

 private:
  Weights weights_;
  Weights bias_;  ///< a row, or nothing
};

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
