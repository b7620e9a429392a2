#pragma once
#include <memory>
#include <string>
#include <vector>

#include "tools/gnn-sample/layers/conv.h"
#include "tools/gnn-sample/layers/gnn_options.h"

namespace frugal::gnn {

/// y_t = W_r x_t + W_l mean_j x_j + b over the neighbours j of t, 0 where there are none; or the
/// largest number of each column instead of the mean (Hamilton et al., NIPS 2017; names and initial
/// values as PyG's SAGEConv). If the block has weights of edges, the mean is weighted by them:
/// sum_j w_tj x_j / sum_j w_tj, 0 where the weights are.
class SageConv : public Conv {
 public:
  SageConv(std::size_t in, std::size_t out, SageAggregate aggregate, bool bias,
           Precision precision);

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

  MatrixView<const float> own_weights() const { return weights_.values().rows_between(0, in_); }
  MatrixView<const float> neighbor_weights() const {
    return weights_.values().rows_between(in_, 2 * in_);
  }
  void divide_gradients(const Block& block, std::size_t begin, std::size_t end,
                        MatrixView<float> rows) const;
  void forward_products_first(const ConvInput& input, Room& room, MatrixView<float> out,
                              const RowsDone& done) const;
  void backward_products_first(const ConvInput& input, Room& room, const OutputGradient& gradient);
  void add_to_largest(const ConvInput& input, const Room& room, std::size_t begin,
                      MatrixView<float> rows) const;
  bool takes_largest() const { return aggregate_ == SageAggregate::max; }

  std::size_t in_;
  SageAggregate aggregate_;
  Weights weights_;  ///< W_r^T above W_l^T
  Weights bias_;     ///< a row, or nothing
};

}  // namespace frugal::gnn
