#include "tools/gnn-sample/layers/sage_conv.h"

#include <cmath>

#include "libcore/kernels/kernels.h"
#include "tools/gnn-sample/layers/row_chunks.h"
#include "tools/gnn-sample/layers/sparse_products.h"

namespace frugal::gnn {

struct SageConv::Room : ConvRoom {
  RowStore inputs;  ///< [targets, 2 in]: each target's own row beside its neighbours' mean
  /// Rows as far apart as those of inputs: the edge that each largest number is from, counted from
  /// the first of the target's chunk.
  std::vector<std::uint32_t> largest;
  /// Gradients of the same. Neighbours' halves are divided by their number, unless there are
  /// shares.
  RowStore gradients;
  std::vector<float> shares;  ///< weight of each edge divided by the sum of its target's; or empty

  // Where products of sparse rows are made first, gradients is [targets, out]: of the outputs.
  bool products_first = false;
  RowStore products;  ///< [sources, out] of neighbours, W_l x; then their gradients
  SparseColumns columns;
  TransposedBlock transposed;

  const float* weights() const { return shares.empty() ? nullptr : shares.data(); }
};

/// Divides the gradients of means by the numbers of neighbours; those of weighted means are
/// multiplied edge by edge.
void SageConv::divide_gradients(const Block& block, std::size_t begin, std::size_t end,
                                MatrixView<float> rows) const {
  if (takes_largest() || block.weights != nullptr) return;
  for (std::size_t t = begin; t < end; ++t) {
    const std::uint32_t degree = block.degree(static_cast<std::uint32_t>(t));
    if (degree < 2) continue;
    kernels().scale(1.0F / static_cast<float>(degree), rows.row(t), rows.cols);
  }
}

/// Adds to the rows of sources from `begin` on the gradients of the largest numbers they gave.
void SageConv::add_to_largest(const ConvInput& input, const Room& room, std::size_t begin,
                              MatrixView<float> rows) const {
  const TransposedBlock& edges = *input.transposed;
  const MatrixView<const float> gradients = room.gradients.view();
  for (std::size_t s = begin; s < begin + rows.rows; ++s) {
    float* to = rows.row(s - begin);
    for (std::size_t i = edges.offsets[s]; i < edges.offsets[s + 1]; ++i) {
      const std::size_t t = edges.targets[i], chunk = t / kChunkRows * kChunkRows;
      const std::uint32_t edge =
          edges.edges[i] - (input.block.offsets[chunk] - input.block.offsets[0]);
      const std::uint32_t* largest = room.largest.data() + t * gradients.stride;
      const float* from = gradients.row(t) + rows.cols;
      for (std::size_t c = 0; c < rows.cols; ++c) to[c] += largest[c] == edge ? from[c] : 0;
    }
  }
}

SageConv::SageConv(std::size_t in, std::size_t out, SageAggregate aggregate, bool bias,
                   Precision precision)
    : in_(in), aggregate_(aggregate), weights_(2 * in, out, precision), bias_(bias ? 1 : 0, out) {}

std::unique_ptr<ConvRoom> SageConv::make_room() const { return std::make_unique<Room>(); }

void SageConv::randomize(std::uint64_t seed, std::uint64_t stream) {
  const double bound = 1 / std::sqrt(static_cast<double>(in_));
  weights_.randomize(bound, seed, stream);
  bias_.randomize(bound, seed, stream + 1);
}

void SageConv::forward(const ConvInput& input, ConvRoom& room, MatrixView<float> out,
                       const RowsDone& done) const {
  auto& r = static_cast<Room&>(room);
  r.products_first =
      !takes_largest() && gains_by_products_first(input.rows, input.block, weights_.out());
  r.shares.resize(input.block.weights == nullptr ? 0 : input.block.num_edges());
  if (r.products_first) return forward_products_first(input, r, out, done);
  const bool keeps = input.pass.training;  // what the backward pass will read
  if (keeps) r.inputs.resize(input.block.targets, 2 * in_);
  if (keeps && takes_largest()) r.largest.resize(input.block.targets * r.inputs.view().stride);
  for_each_chunk(input.block.targets, [&](std::size_t begin, std::size_t end) {
    const MatrixView<float> inputs =
        keeps ? r.inputs.view().rows_between(begin, end) : working_rows(end - begin, 2 * in_);
    const MatrixView<float> own(inputs.data, inputs.rows, in_, inputs.stride);
    const MatrixView<float> neighbors(own.data + in_, own.rows, in_, own.stride);
    input.rows.copy(begin, end, own);
    if (takes_largest()) {
      thread_local std::vector<std::uint32_t> unused;
      if (!keeps) unused.resize(inputs.rows * inputs.stride);
      input.rows.largest(input.block, begin, end, neighbors,
                         keeps ? r.largest.data() + begin * inputs.stride : unused.data());
    } else {
      input.rows.aggregate(input.block, begin, end,
                           mean_weighing(input.block, begin, end, r.shares), neighbors);
    }
    const MatrixView<float> rows = out.rows_between(begin, end);
    weights_.multiply(inputs, rows);
    add_bias(bias_, rows);
    done(begin, end);
  });
}

void SageConv::backward(const ConvInput& input, ConvRoom& room, const OutputGradient& gradient) {
  auto& r = static_cast<Room&>(room);
  if (r.products_first) return backward_products_first(input, r, gradient);
  const Block& block = input.block;
  if (input.wants_gradient) r.gradients.resize(block.targets, 2 * in_);
  for_each_grouped_chunk(block.targets, [&](std::size_t group, std::size_t begin, std::size_t end) {
    const MatrixView<float> dy = working_rows(end - begin, weights_.out());
    gradient(begin, end, dy);
    weights_.add_gradient(group, r.inputs.view().rows_between(begin, end), dy);
    add_bias_gradient(bias_, group, dy);
    if (!input.wants_gradient) return;
    weights_.multiply_transposed(dy, r.gradients.view().rows_between(begin, end));
    divide_gradients(block, begin, end, r.gradients.columns(in_, 2 * in_));
  });
}

void SageConv::forward_products_first(const ConvInput& input, Room& r, MatrixView<float> out,
                                      const RowsDone& done) const {
  multiply_sparse(input.rows, input.block.sources, neighbor_weights(), r.products);
  const SourceRows products(r.products.view());
  for_each_chunk(input.block.targets, [&](std::size_t begin, std::size_t end) {
    const MatrixView<float> rows = out.rows_between(begin, end);
    multiply_sparse(input.rows, begin, end, own_weights(), rows);
    SourceRows::Weighing weighing = mean_weighing(input.block, begin, end, r.shares);
    weighing.add = true;
    products.aggregate(input.block, begin, end, weighing, rows);
    add_bias(bias_, rows);
    done(begin, end);
  });
}

void SageConv::backward_products_first(const ConvInput& input, Room& r,
                                       const OutputGradient& gradient) {
  const Block& block = input.block;
  r.gradients.resize(block.targets, weights_.out());
  for_each_grouped_chunk(block.targets, [&](std::size_t group, std::size_t begin, std::size_t end) {
    const MatrixView<float> dy = r.gradients.view().rows_between(begin, end);
    gradient(begin, end, dy);
    add_bias_gradient(bias_, group, dy);
  });
  const MatrixView<float> dw = weights_.gradient(0);
  r.columns.assign(input.rows, block.sources);
  r.columns.add_products(r.gradients.view(), dw.rows_between(0, in_));
  for_each_chunk(block.targets, [&](std::size_t begin, std::size_t end) {
    divide_gradients(block, begin, end, r.gradients.view());
  });
  r.transposed.assign(block);
  for_each_chunk(block.sources, [&](std::size_t begin, std::size_t end) {
    const MatrixView<float> dproducts = r.products.view().rows_between(begin, end);
    set_zero(dproducts);
    add_transposed(r.transposed, begin, end, r.gradients.view(), dproducts, r.weights());
  });
  r.columns.add_products(r.products.view(), dw.rows_between(in_, 2 * in_));
}

void SageConv::input_gradient(const ConvInput& input, const ConvRoom& room, std::size_t begin,
                              std::size_t end, MatrixView<float> rows) const {
  const auto& r = static_cast<const Room&>(room);
  const MatrixView<const float> gradients = r.gradients.view();
  const MatrixView<const float> own(gradients.data, gradients.rows, in_, gradients.stride);
  const MatrixView<const float> neighbors(own.data + in_, own.rows, in_, own.stride);
  copy_rows_or_zero(own, begin, end, rows);
  if (takes_largest()) return add_to_largest(input, r, begin, rows);
  add_transposed(*input.transposed, begin, end, neighbors, rows, r.weights());
}

std::vector<ParameterTensor> SageConv::tensors() {
  const Shape shape = {weights_.out(), in_};
  std::vector<ParameterTensor> all = {{"lin_l.weight", &weights_, shape, in_},
                                      {"lin_r.weight", &weights_, shape, 0}};
  if (bias_.size() != 0) all.push_back({"lin_l.bias", &bias_, {bias_.out()}});
  return all;
}

}  // namespace frugal::gnn
