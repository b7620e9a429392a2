#include "tools/gnn-sample/network/residual_conv.h"

#include <algorithm>
#include <utility>

#include "tools/gnn-sample/network/row_chunks.h"

namespace frugal::gnn {
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
                   linear_.forward(input.rows, begin, end, out.rows_between(begin, end), 1);
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
