#include "tools/gnn-sample/network/shortcut.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tools/gnn-sample/layers/row_chunks.h"

namespace frugal::gnn {
namespace {

/// Working rows that convolutions leave free until their rows are done.
constexpr std::size_t kShortcutSlot = 2;

}  // namespace

Shortcut::Shortcut(std::size_t in, std::size_t out, bool bias, Precision precision)
    : weights_(in, out, precision), bias_(bias ? 1 : 0, out) {}

void Shortcut::randomize(std::uint64_t seed, std::uint64_t stream) {
  randomize(1 / std::sqrt(static_cast<double>(weights_.in())), seed, stream);
}

void Shortcut::randomize(double bound, std::uint64_t seed, std::uint64_t stream) {
  weights_.randomize(bound, seed, stream);
  bias_.randomize(bound, seed, stream + 1);
}

void Shortcut::forward(const SourceRows& rows, std::size_t begin, MatrixView<float> out,
                       float beta) const {
  multiply_rows(rows, begin, weights_, out, kShortcutSlot, beta);
  add_bias(bias_, out);
}

void Shortcut::backward(const SourceRows& rows, MatrixView<const float> gradient,
                        SparseColumns& columns) {
  const bool sparse = rows.sparse();
  if (sparse) {
    columns.assign(rows, gradient.rows);
    columns.add_products(gradient, weights_.gradient(0));
  }
  for_each_grouped_chunk(gradient.rows, [&](std::size_t group, std::size_t begin, std::size_t end) {
    const MatrixView<const float> dy = gradient.rows_between(begin, end);
    add_bias_gradient(bias_, group, dy);
    if (sparse) return;
    const MatrixView<float> x = working_rows(end - begin, weights_.in());
    rows.copy(begin, end, x);
    weights_.add_gradient(group, x, dy);
  });
}

void Shortcut::add_input_gradient(MatrixView<const float> gradient, MatrixView<float> rows) const {
  weights_.multiply_transposed(gradient, rows, 1);
}

std::vector<ParameterTensor> Shortcut::tensors(const std::string& name) {
  std::vector<ParameterTensor> all = {
      {name + ".weight", &weights_, {weights_.out(), weights_.in()}}};
  if (bias_.size() != 0) all.push_back({name + ".bias", &bias_, {bias_.out()}});
  return all;
}

namespace {

/// Begin of the streams of random numbers for linear maps, after those of layers and shortcuts.
constexpr std::uint64_t kResidualStream = std::uint64_t{1} << 33;

struct ResidualRoom : ConvRoom {
  std::unique_ptr<ConvRoom> conv;
  RowStore gradients;  ///< [targets, outputs] of the outputs
  SparseColumns columns;
};

}  // namespace

ResidualConv::ResidualConv(std::unique_ptr<Conv> conv, std::size_t in, bool bias,
                           Precision precision)
    : conv_(std::move(conv)), linear_(in, conv_->num_outputs(), bias, precision) {}

std::unique_ptr<ConvRoom> ResidualConv::make_room() const {
  auto room = std::make_unique<ResidualRoom>();
  room->conv = conv_->make_room();
  return room;
}

void ResidualConv::randomize(std::uint64_t seed, std::uint64_t stream) {
  conv_->randomize(seed, stream);
  linear_.randomize(seed, kResidualStream + stream);
}

void ResidualConv::forward(const ConvInput& input, ConvRoom& room, MatrixView<float> out,
                           const RowsDone& done) const {
  conv_->forward(input, *static_cast<ResidualRoom&>(room).conv, out,
                 [&](std::size_t begin, std::size_t end) {
                   linear_.forward(input.rows, begin, out.rows_between(begin, end), 1);
                   done(begin, end);
                 });
}

void ResidualConv::backward(const ConvInput& input, ConvRoom& room,
                            const OutputGradient& gradient) {
  auto& r = static_cast<ResidualRoom&>(room);
  r.gradients.resize(input.block.targets, num_outputs());
  conv_->backward(input, *r.conv, [&](std::size_t begin, std::size_t end, MatrixView<float> rows) {
    gradient(begin, end, rows);
    copy_rows_or_zero(rows, 0, rows.rows, r.gradients.view().rows_between(begin, end));
  });
  linear_.backward(input.rows, std::as_const(r.gradients).view(), r.columns);
}

void ResidualConv::input_gradient(const ConvInput& input, const ConvRoom& room, std::size_t begin,
                                  std::size_t end, MatrixView<float> rows) const {
  const auto& r = static_cast<const ResidualRoom&>(room);
  conv_->input_gradient(input, *r.conv, begin, end, rows);
  const MatrixView<const float> gradients = r.gradients.view();
  const std::size_t last = std::min(end, gradients.rows);
  if (begin >= last) return;
  linear_.add_input_gradient(gradients.rows_between(begin, last),
                             rows.rows_between(0, last - begin));
}

std::vector<ParameterTensor> ResidualConv::tensors() {
  std::vector<ParameterTensor> all = conv_->tensors();
  for (ParameterTensor& tensor : linear_.tensors("residual")) all.push_back(std::move(tensor));
  return all;
}

}  // namespace frugal::gnn
