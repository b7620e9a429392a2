#include "tools/gnn-sample/layers/sagn_conv.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <utility>

#include "libcore/kernels/kernels.h"
#include "libcore/nn/init.h"
#include "tools/gnn-sample/layers/hop_rows.h"
#include "tools/gnn-sample/layers/row_chunks.h"
#include "tools/gnn-sample/layers/sparse_products.h"

namespace frugal::gnn {
struct SagnConv::Room : ConvRoom {
  // Each target has its own edges, one to each of its hops.
  std::vector<std::uint32_t> offsets, hops;
  Block block;
  std::size_t parts = 1;
  EdgeAttention attention;
  SparseRows sparse;                  ///< [targets * parts] of sparse features
  std::vector<NodeId> rows_of_parts;  ///< [parts, targets] rows of `sparse`; empty: dense features
  RowStore h, dh;                     ///< [targets * parts, heads * out]
  RowStore dsums;                     ///< [targets, heads * out]
  RowStore dout;                      ///< [targets, outputs]
  SparseColumns columns;

  void assign(std::uint32_t targets, std::size_t parts_of_row);
  void split(const SourceRows& rows);
  bool is_sparse() const { return !rows_of_parts.empty(); }
  SourceRows sparse_rows(std::size_t k) const {
    const std::size_t targets = block.targets;
    return SourceRows(sparse.view(), std::span(rows_of_parts).subspan(k * targets, targets));
  }
  /// Rows of part k of targets [begin, end) in a matrix of all parts.
  template <class T>
  MatrixView<T> of_hop(MatrixView<T> rows, std::size_t k, std::size_t begin,
                       std::size_t end) const {
    return {rows.data + (begin * parts + k) * rows.stride, end - begin, rows.cols,
            rows.stride * parts};
  }
};

void SagnConv::Room::assign(std::uint32_t targets, std::size_t parts_of_row) {
  parts = parts_of_row;
  offsets.resize(std::size_t{targets} + 1);
  for (std::size_t t = 0; t <= targets; ++t) offsets[t] = static_cast<std::uint32_t>(t * parts);
  hops.resize(targets * parts);
  std::iota(hops.begin(), hops.end(), 0U);
  block = {targets, static_cast<std::uint32_t>(hops.size()), offsets.data(), hops.data()};
}

void SagnConv::Room::split(const SourceRows& rows) {
  const std::size_t targets = block.targets;
  rows_of_parts.resize(rows.sparse() ? hops.size() : 0);
  if (!rows.sparse()) return;
  split_hops(rows, targets, parts, sparse);
  for (std::size_t i = 0; i < rows_of_parts.size(); ++i) {
    rows_of_parts[i] = static_cast<NodeId>(i % targets * parts + i / targets);
  }
}

SagnConv::SagnConv(const GatShape& shape, std::size_t parts)
    : shape_(shape),
      encoders_(parts),
      residual_(shape.in / parts, shape.outputs(), shape.precision),
      att_source_(1, shape.width()),
      att_target_(1, shape.width()) {
  assert(shape.in % parts == 0 && parts > 1);
  for (Encoder& encoder : encoders_) {
    encoder.weights = Weights(residual_.in(), width(), shape.precision);
    encoder.bias = Weights(shape.bias ? 1 : 0, width());
  }
}

std::unique_ptr<ConvRoom> SagnConv::make_room() const { return std::make_unique<Room>(); }

void SagnConv::randomize(std::uint64_t seed, std::uint64_t stream) {
  const double bound = 1 / std::sqrt(static_cast<double>(residual_.in()));
  for (std::size_t k = 0; k < encoders_.size(); ++k) {
    encoders_[k].weights.randomize(bound, seed, stream + k * kPartStreams);
    encoders_[k].bias.randomize(bound, seed, stream + 1 + k * kPartStreams);
  }
  const double attention = glorot_bound(shape_.heads, shape_.out);
  att_source_.randomize(attention, seed, stream + 2);
  att_target_.randomize(attention, seed, stream + 3);
  residual_.randomize(bound, seed, stream + encoders_.size() * kPartStreams);
}

/// Computes h of targets [begin, end), and what it adds to their logits. x: their rows, unless
/// these are sparse.
void SagnConv::encode(MatrixView<const float> x, std::size_t begin, std::size_t end,
                      Room& r) const {
  for (std::size_t k = 0; k < encoders_.size(); ++k) {
    const MatrixView<float> h = r.of_hop(r.h.view(), k, begin, end);
    if (r.is_sparse()) {
      multiply_sparse(r.sparse_rows(k), begin, end, encoders_[k].weights.values(), h);
    } else {
      encoders_[k].weights.multiply(columns_between(x, k * residual_.in(), residual_.in()), h);
    }
    add_bias(encoders_[k].bias, h);
    for (std::size_t t = begin; t < end; ++t) {
      const float* const row = h.row(t - begin);
      multiply_heads(att_source_.values(), row, r.attention.source(t * r.parts + k));
      if (k != 0) continue;
      multiply_heads(att_target_.values(), row, r.attention.target().row_span(t));
    }
  }
}

void SagnConv::forward(const ConvInput& input, ConvRoom& room, MatrixView<float> out,
                       const RowsDone& done) const {
  auto& r = static_cast<Room&>(room);
  r.assign(input.block.targets, encoders_.size());
  r.split(input.rows);
  r.attention.assign(r.block, shape_.heads, attention_dropout(shape_, input));
  r.h.resize(r.hops.size(), width());
  for_each_chunk(out.rows, [&](std::size_t begin, std::size_t end) {
    MatrixView<float> x;
    if (!r.is_sparse()) {
      x = working_rows(end - begin, shape_.in, 1);
      input.rows.copy(begin, end, x);
    }
    encode(x, begin, end, r);
    r.attention.attend(begin, end);
    const MatrixView<float> rows = out.rows_between(begin, end);
    r.attention.combine(r.h.view(), begin, end, rows);
    if (r.is_sparse()) {
      multiply_sparse(r.sparse_rows(0), begin, end, residual_.values(), rows, 1);
    } else {
      residual_.multiply(columns_between(x, 0, residual_.in()), rows, 1);
    }
    done(begin, end);
  });
}

void SagnConv::backward(const ConvInput& input, ConvRoom& room, const OutputGradient& gradient) {
  auto& r = static_cast<Room&>(room);
  const std::size_t targets = r.block.targets, features = residual_.in();
  r.attention.prepare_backward(false);
  r.dout.resize(targets, num_outputs());
  r.dsums.resize(targets, width());
  r.dh.resize(r.hops.size(), width());
  for_each_grouped_chunk(targets, [&](std::size_t group, std::size_t begin, std::size_t end) {
    const MatrixView<float> dy = r.dout.view().rows_between(begin, end);
    gradient(begin, end, dy);
    r.attention.spread(dy, r.dsums.view().rows_between(begin, end));
    r.attention.backward(r.h.view(), r.dsums.view(), begin, end);
    add_hop_gradients(r, group, begin, end);
    if (r.is_sparse()) return;
    const MatrixView<float> x = working_rows(end - begin, shape_.in, 1);
    input.rows.copy(begin, end, x);
    for (std::size_t k = 0; k < encoders_.size(); ++k) {
      encoders_[k].weights.add_gradient(group, columns_between(x, k * features, features),
                                        r.of_hop(r.dh.view(), k, begin, end));
    }
    residual_.add_gradient(group, columns_between(x, 0, features), dy);
  });
  if (r.is_sparse()) add_sparse_gradients(r);
}

/// Computes dh of targets [begin, end), and adds to the gradients of attention and bias.
void SagnConv::add_hop_gradients(Room& r, std::size_t group, std::size_t begin, std::size_t end) {
  const std::size_t heads = shape_.heads, out = shape_.out;
  const MatrixView<float> dsource = att_source_.gradient(group);
  const MatrixView<float> dtarget = att_target_.gradient(group);
  for (std::size_t t = begin; t < end; ++t) {
    const float* const dsum = r.dsums.view().row(t);
    for (std::size_t e = t * r.parts; e < (t + 1) * r.parts; ++e) {
      const float* const h = r.h.view().row(e);
      float* const dh = r.dh.view().row(e);
      for (std::size_t k = 0; k < heads; ++k) {
        const float weight = r.attention.weights()[e * heads + k];
        for (std::size_t i = k * out; i < (k + 1) * out; ++i) dh[i] = weight * dsum[i];
      }
      add_head_gradients(att_source_.values(), {r.attention.edge_gradient(e), heads}, h, dh,
                         dsource);
      if (e != t * r.parts) continue;
      add_head_gradients(att_target_.values(), r.attention.target_gradient().row_span(t), h, dh,
                         dtarget);
    }
  }
  for (std::size_t k = 0; k < encoders_.size(); ++k) {
    add_bias_gradient(encoders_[k].bias, group, r.of_hop(r.dh.view(), k, begin, end));
  }
}

void SagnConv::add_sparse_gradients(Room& r) {
  for (std::size_t k = 0; k < encoders_.size(); ++k) {
    r.columns.assign(r.sparse_rows(k), r.block.targets);
    r.columns.add_products(r.of_hop(std::as_const(r.dh).view(), k, 0, r.block.targets),
                           encoders_[k].weights.gradient(0));
    if (k != 0) continue;
    r.columns.add_products(std::as_const(r.dout).view(), residual_.gradient(0));
  }
}

void SagnConv::input_gradient(const ConvInput&, const ConvRoom& room, std::size_t begin,
                              std::size_t end, MatrixView<float> rows) const {
  const auto& r = static_cast<const Room&>(room);
  set_zero(rows);
  const std::size_t last = std::min<std::size_t>(end, r.block.targets);
  if (begin >= last) return;
  const MatrixView<float> to = rows.rows_between(0, last - begin);
  for (std::size_t k = 0; k < encoders_.size(); ++k) {
    encoders_[k].weights.multiply_transposed(
        r.of_hop(r.dh.view(), k, begin, last),
        columns_between(to, k * residual_.in(), residual_.in()));
  }
  residual_.multiply_transposed(r.dout.view().rows_between(begin, last),
                                columns_between(to, 0, residual_.in()), 1);
}

std::vector<ParameterTensor> SagnConv::tensors() {
  const Shape attention = {1, shape_.heads, shape_.out};
  std::vector<ParameterTensor> all = {{"att_src", &att_source_, attention},
                                      {"att_dst", &att_target_, attention}};
  for (std::size_t k = 0; k < encoders_.size(); ++k) {
    const std::string name = "hops." + std::to_string(k);
    Encoder& encoder = encoders_[k];
    all.push_back({name + ".weight", &encoder.weights, {width(), residual_.in()}});
    if (encoder.bias.size() != 0) all.push_back({name + ".bias", &encoder.bias, {width()}});
  }
  all.push_back({"residual.weight", &residual_, {residual_.out(), residual_.in()}});
  return all;
}

}  // namespace frugal::gnn
