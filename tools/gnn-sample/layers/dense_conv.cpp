#include "tools/gnn-sample/layers/dense_conv.h"

#include <cmath>
#include <utility>

#include "tools/gnn-sample/layers/row_chunks.h"
#include "tools/gnn-sample/layers/sparse_products.h"

namespace frugal::gnn {
namespace {

struct DenseRoom : ConvRoom {
  RowStore gradients;  ///< [targets, in]
  RowStore doutputs;   ///< [targets, out] for sparse rows
  SparseColumns columns;
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
    const MatrixView<float> rows = out.rows_between(begin, end);
    multiply_rows(input.rows, begin, weights_, rows);
    add_bias(bias_, rows);
    done(begin, end);
  });
}

void DenseConv::backward(const ConvInput& input, ConvRoom& room, const OutputGradient& gradient) {
  auto& r = static_cast<DenseRoom&>(room);
  const std::size_t targets = input.block.targets;
  const bool sparse = input.rows.sparse();  // then they are features, whose gradient nobody needs
  if (sparse) r.doutputs.resize(targets, weights_.out());
  if (input.wants_gradient) r.gradients.resize(targets, weights_.in());
  for_each_grouped_chunk(targets, [&](std::size_t group, std::size_t begin, std::size_t end) {
    const MatrixView<float> dy = sparse ? r.doutputs.view().rows_between(begin, end)
                                        : working_rows(end - begin, weights_.out());
    gradient(begin, end, dy);
    add_bias_gradient(bias_, group, dy);
    if (sparse) return;
    const MatrixView<float> x = working_rows(end - begin, weights_.in(), 1);
    input.rows.copy(begin, end, x);
    weights_.add_gradient(group, x, dy);
    if (!input.wants_gradient) return;
    weights_.multiply_transposed(dy, r.gradients.view().rows_between(begin, end));
  });
  if (!sparse) return;
  r.columns.assign(input.rows, targets);
  r.columns.add_products(std::as_const(r.doutputs).view(), weights_.gradient(0));
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
