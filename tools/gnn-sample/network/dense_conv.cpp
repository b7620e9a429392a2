#include "tools/gnn-sample/network/dense_conv.h"

#include <cmath>

#include "tools/gnn-sample/network/row_chunks.h"

namespace frugal::gnn {
namespace {

struct DenseRoom : ConvRoom {
  RowStore gradients;  ///< [targets, in]
};

}  // namespace

DenseConv::DenseConv(std::size_t in, std::size_t out, bool bias, Precision precision)
    : weights_(in, out, precision), bias_(bias ? 1 : 0, out) {}

std::unique_ptr<ConvRoom> DenseConv::make_room() const { return std::make_unique<DenseRoom>(); }

void DenseConv::randomize(std::uint64_t seed, std::uint64_t stream) {
  const double bound = 1 / std::sqrt(static_cast<double>(weights_.in()));
  weights_.randomize(bound, seed, stream);
  bias_.randomize(bound, seed, stream + 1);
}

void DenseConv::forward(const ConvInput& input, ConvRoom&, MatrixView<float> out,
                        const RowsDone& done) const {
  for_each_chunk(out.rows, [&](std::size_t begin, std::size_t end) {
    const MatrixView<float> x = working_rows(end - begin, weights_.in());
    input.rows.copy(begin, end, x);
    const MatrixView<float> rows = out.rows_between(begin, end);
    weights_.multiply(x, rows);
    add_bias(bias_, rows);
    done(begin, end);
  });
}

void DenseConv::backward(const ConvInput& input, ConvRoom& room, const OutputGradient& gradient) {
  RowStore& gradients = static_cast<DenseRoom&>(room).gradients;
  const std::size_t targets = input.block.targets;
  if (input.wants_gradient) gradients.resize(targets, weights_.in());
  for_each_grouped_chunk(targets, [&](std::size_t group, std::size_t begin, std::size_t end) {
    const MatrixView<float> dy = working_rows(end - begin, weights_.out());
    const MatrixView<float> x = working_rows(end - begin, weights_.in(), 1);
    gradient(begin, end, dy);
    input.rows.copy(begin, end, x);
    weights_.add_gradient(group, x, dy);
    add_bias_gradient(bias_, group, dy);
    if (!input.wants_gradient) return;
    weights_.multiply_transposed(dy, gradients.view().rows_between(begin, end));
  });
}

void DenseConv::input_gradient(const ConvInput&, const ConvRoom& room, std::size_t begin,
                               std::size_t end, MatrixView<float> rows) const {
  copy_rows_or_zero(static_cast<const DenseRoom&>(room).gradients.view(), begin, end, rows);
}

std::vector<ParameterTensor> DenseConv::tensors() {
  std::vector<ParameterTensor> all = {{"weight", &weights_, {weights_.out(), weights_.in()}}};
  if (bias_.size() != 0) all.push_back({"bias", &bias_, {bias_.out()}});
  return all;
}

}  // namespace frugal::gnn
