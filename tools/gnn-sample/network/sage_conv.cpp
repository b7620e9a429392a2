#include "tools/gnn-sample/network/sage_conv.h"

#include <cmath>

#include "libcore/kernels/kernels.h"
#include "tools/gnn-sample/network/chunk_work.h"
#include "tools/gnn-sample/network/row_chunks.h"

namespace frugal {
namespace {

struct SageRoom : ConvRoom {
  RowStore inputs;     ///< [targets, 2 in]: each target's own row beside its neighbours' mean
  RowStore gradients;  ///< of the same; neighbours' halves are divided by their number
};

SageRoom& room_of(ConvRoom& room) { return static_cast<SageRoom&>(room); }
const SageRoom& room_of(const ConvRoom& room) { return static_cast<const SageRoom&>(room); }

}  // namespace

SageConv::SageConv(std::size_t in, std::size_t out, bool bias)
    : in_(in), weights_(2 * in, out), bias_(bias ? 1 : 0, out) {}

std::unique_ptr<ConvRoom> SageConv::make_room() const { return std::make_unique<SageRoom>(); }

void SageConv::randomize(std::uint64_t seed, std::uint64_t stream) {
  const double bound = 1 / std::sqrt(static_cast<double>(in_));
  weights_.randomize(bound, seed, 2 * stream);
  bias_.randomize(bound, seed, 2 * stream + 1);
}

void SageConv::forward(const ConvInput& input, ConvRoom& room, MatrixView<float> out,
                       const RowsDone& done) const {
  RowStore& inputs = room_of(room).inputs;
  inputs.resize(input.block.targets, 2 * in_);
  for_each_chunk(input.block.targets, [&](std::size_t begin, std::size_t end) {
    input.rows.copy(begin, end, inputs.columns(0, in_).rows_between(begin, end));
    input.rows.aggregate(input.block, begin, end, {.mean = true},
                         inputs.columns(in_, 2 * in_).rows_between(begin, end));
    const MatrixView<float> rows = out.rows_between(begin, end);
    weights_.multiply(inputs.view().rows_between(begin, end), rows);
    add_bias(bias_, rows);
    done(begin, end);
  });
}

void SageConv::backward(const ConvInput& input, ConvRoom& room, const OutputGradient& gradient) {
  SageRoom& r = room_of(room);
  const Block& block = input.block;
  if (input.wants_gradient) r.gradients.resize(block.targets, 2 * in_);
  for_each_grouped_chunk(block.targets, [&](std::size_t group, std::size_t begin, std::size_t end) {
    const MatrixView<float> dy = working_rows(end - begin, weights_.out());
    gradient(begin, end, dy);
    weights_.add_gradient(group, r.inputs.view().rows_between(begin, end), dy);
    add_bias_gradient(bias_, group, dy);
    if (!input.wants_gradient) return;
    weights_.multiply_transposed(dy, r.gradients.view().rows_between(begin, end));
    for (std::size_t t = begin; t < end; ++t) {
      const std::uint32_t degree = block.degree(static_cast<std::uint32_t>(t));
      if (degree < 2) continue;
      kernels().scale(1.0F / static_cast<float>(degree), r.gradients.view().row(t) + in_, in_);
    }
  });
}

void SageConv::input_gradient(const ConvInput& input, const ConvRoom& room, std::size_t begin,
                              std::size_t end, MatrixView<float> rows) const {
  const MatrixView<const float> gradients = room_of(room).gradients.view();
  const MatrixView<const float> own(gradients.data, gradients.rows, in_, gradients.stride);
  const MatrixView<const float> neighbors(own.data + in_, own.rows, in_, own.stride);
  copy_rows_or_zero(own, begin, end, rows);
  add_transposed(*input.transposed, begin, end, neighbors, nullptr, rows);
}

std::vector<ParameterTensor> SageConv::tensors() {
  const Shape shape = {weights_.out(), in_};
  std::vector<ParameterTensor> all = {{"lin_l.weight", &weights_, shape, in_},
                                      {"lin_r.weight", &weights_, shape, 0}};
  if (bias_.size() != 0) all.push_back({"lin_l.bias", &bias_, {bias_.out()}});
  return all;
}

}  // namespace frugal
