#include "tools/gnn-sample/layers/gatv2_conv.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libcore/kernels/kernels.h"
#include "libcore/nn/init.h"
#include "tools/gnn-sample/layers/row_chunks.h"
#include "tools/gnn-sample/layers/sparse_products.h"

namespace frugal::gnn {
namespace {

/// LeakyReLU(l + r), [n]: a head's logit is the product of its columns with att.
void leaky_sum(const float* __restrict l, const float* __restrict r, std::size_t n,
               float* __restrict to) {
  for (std::size_t i = 0; i < n; ++i) {
    const float z = l[i] + r[i];
    to[i] = std::max(z, kAttentionSlope * z);
  }
}

/// Adds what a logit of gradient g gives to the gradient of r, before its product with att, and to
/// that of att.
void add_gradients(const float* __restrict l, const float* __restrict r, float g, std::size_t n,
                   float* __restrict dr, float* __restrict datt) {
  const float low = kAttentionSlope * g;
  for (std::size_t i = 0; i < n; ++i) {
    const float z = l[i] + r[i], dz = z > 0 ? g : low;
    dr[i] += dz;
    datt[i] += dz * z;
  }
}

/// Adds what it gives to the gradient of l, before its product with att.
void add_gradient(const float* __restrict l, const float* __restrict r, float g, std::size_t n,
                  float* __restrict dl) {
  const float low = kAttentionSlope * g;
  for (std::size_t i = 0; i < n; ++i) dl[i] += l[i] + r[i] > 0 ? g : low;
}

/// Memory of the calling thread for a row.
float* working_row(std::size_t n) {
  thread_local std::vector<float> row;
  row.resize(std::max(row.size(), n));
  return row.data();
}

}  // namespace

struct GatV2Conv::Room : ConvRoom, LoopedBlock {
  EdgeAttention attention;
  RowStore l, dl;         ///< [sources, heads * out]
  RowStore r, dr;         ///< [targets, heads * out]
  RowStore dout;          ///< [targets, heads * out]
  SparseColumns columns;  ///< for sparse input
};

void GatV2Conv::Transform::apply(const SourceRows& rows, std::size_t begin,
                                 MatrixView<float> to) const {
  multiply_rows(rows, begin, weights, to);
  add_bias(bias, to);
}

/// Adds what rows from `begin` on give; with sparse rows, to the gradient of the bias alone.
void GatV2Conv::Transform::add_gradient(const SourceRows& rows, std::size_t group,
                                        std::size_t begin, MatrixView<const float> gradient) {
  add_bias_gradient(bias, group, gradient);
  if (rows.sparse()) return;
  const MatrixView<float> x = working_rows(gradient.rows, weights.in(), 1);
  rows.copy(begin, begin + gradient.rows, x);
  weights.add_gradient(group, x, gradient);
}

GatV2Conv::GatV2Conv(const GatShape& shape)
    : shape_(shape), att_(1, shape.width()), bias_(shape.bias ? 1 : 0, shape.outputs()) {
  for (Transform* transform : {&left_, &right_}) {
    transform->weights = Weights(shape.in, width(), shape.precision);
    transform->bias = Weights(shape.bias ? 1 : 0, width());
  }
}

std::unique_ptr<ConvRoom> GatV2Conv::make_room() const { return std::make_unique<Room>(); }

void GatV2Conv::randomize(std::uint64_t seed, std::uint64_t stream) {
  const double bound = 1 / std::sqrt(static_cast<double>(shape_.in));
  for (Transform* transform : {&left_, &right_}) {
    const std::uint64_t first = stream + (transform == &left_ ? 0 : 2);
    transform->weights.randomize(glorot_bound(shape_.in, width()), seed, first);
    transform->bias.randomize(bound, seed, first + 1);
  }
  att_.randomize(glorot_bound(shape_.heads, shape_.out), seed, stream + kPartStreams);
}

/// Computes the weights of the edges of target t.
void GatV2Conv::attend(Room& room, std::size_t t) const {
  float* const row = working_row(width());
  const float* const r = room.r.view().row(t);
  for (std::size_t e = room.offsets[t]; e < room.offsets[t + 1]; ++e) {
    leaky_sum(room.l.view().row(room.neighbors[e]), r, width(), row);
    multiply_heads(att_.values(), row, {room.attention.edge_logit(e), shape_.heads});
  }
  room.attention.attend_by_logits(t);
}

void GatV2Conv::forward(const ConvInput& input, ConvRoom& room, MatrixView<float> out,
                        const RowsDone& done) const {
  auto& r = static_cast<Room&>(room);
  r.assign(input.block);
  r.attention.assign(r.block, shape_.heads, attention_dropout(shape_, input));
  r.l.resize(r.block.sources, width());
  r.r.resize(r.block.targets, width());
  for_each_chunk(r.block.sources, [&](std::size_t begin, std::size_t end) {
    left_.apply(input.rows, begin, r.l.view().rows_between(begin, end));
  });
  for_each_chunk(r.block.targets, [&](std::size_t begin, std::size_t end) {
    right_.apply(input.rows, begin, r.r.view().rows_between(begin, end));
    for (std::size_t t = begin; t < end; ++t) attend(r, t);
    const MatrixView<float> rows = out.rows_between(begin, end);
    r.attention.combine(r.l.view(), begin, end, rows);
    add_bias(bias_, rows);
    done(begin, end);
  });
}

/// Computes the gradient of target t's r, and adds to that of att.
void GatV2Conv::add_target_gradients(Room& room, float* datt, std::size_t t) const {
  const std::size_t out = shape_.out;
  const float* const r = room.r.view().row(t);
  float* const dr = room.dr.view().row(t);
  std::fill_n(dr, width(), 0.0F);
  for (std::size_t e = room.offsets[t]; e < room.offsets[t + 1]; ++e) {
    const float* const l = room.l.view().row(room.neighbors[e]);
    const float* const gradients = room.attention.edge_gradient(e);
    for (std::size_t k = 0, at = 0; k < shape_.heads; ++k, at += out) {
      add_gradients(l + at, r + at, gradients[k], out, dr + at, datt + at);
    }
  }
  const float* const att = att_.values().data;
  for (std::size_t i = 0; i < width(); ++i) dr[i] *= att[i];
}

/// Adds what the logits of source s's edges give to the gradient of its l.
void GatV2Conv::add_source_gradient(Room& room, std::size_t s, float* to) const {
  const std::size_t out = shape_.out;
  const float* const l = room.l.view().row(s);
  float* const dl = working_row(width());
  std::fill_n(dl, width(), 0.0F);
  room.attention.for_each_edge_of(s, [&](std::size_t t, std::size_t e) {
    const float* const r = room.r.view().row(t);
    const float* const gradients = room.attention.edge_gradient(e);
    for (std::size_t k = 0, at = 0; k < shape_.heads; ++k, at += out) {
      add_gradient(l + at, r + at, gradients[k], out, dl + at);
    }
  });
  const float* const att = att_.values().data;
  for (std::size_t i = 0; i < width(); ++i) to[i] += att[i] * dl[i];
}

void GatV2Conv::backward(const ConvInput& input, ConvRoom& room, const OutputGradient& gradient) {
  auto& r = static_cast<Room&>(room);
  r.attention.prepare_backward(true);
  r.dout.resize(r.block.targets, width());
  r.dr.resize(r.block.targets, width());
  for_each_grouped_chunk(
      r.block.targets, [&](std::size_t group, std::size_t begin, std::size_t end) {
        const MatrixView<float> dy = working_rows(end - begin, num_outputs());
        gradient(begin, end, dy);
        add_bias_gradient(bias_, group, dy);
        r.attention.spread(dy, r.dout.view().rows_between(begin, end));
        float* const datt = att_.gradient(group).data;
        for (std::size_t t = begin; t < end; ++t) {
          r.attention.weight_gradients(r.l.view(), r.dout.view(), t);
          r.attention.logit_gradients(t);
          add_target_gradients(r, datt, t);
        }
        right_.add_gradient(input.rows, group, begin, r.dr.view().rows_between(begin, end));
      });
  r.dl.resize(r.block.sources, width());
  for_each_grouped_chunk(r.block.sources,
                         [&](std::size_t group, std::size_t begin, std::size_t end) {
                           const MatrixView<float> dl = r.dl.view().rows_between(begin, end);
                           r.attention.source_sums(r.dout.view(), begin, end, dl);
                           for (std::size_t s = begin; s < end; ++s)
                             add_source_gradient(r, s, dl.row(s - begin));
                           left_.add_gradient(input.rows, group, begin, dl);
                         });
  if (!input.rows.sparse()) return;
  r.columns.assign(input.rows, r.block.sources);
  r.columns.add_products(std::as_const(r.dl).view(), left_.weights.gradient(0));
  r.columns.add_products(std::as_const(r.dr).view(), right_.weights.gradient(0));
}

void GatV2Conv::input_gradient(const ConvInput&, const ConvRoom& room, std::size_t begin,
                               std::size_t end, MatrixView<float> rows) const {
  const auto& r = static_cast<const Room&>(room);
  left_.weights.multiply_transposed(r.dl.view().rows_between(begin, end), rows);
  const std::size_t last = std::min<std::size_t>(end, r.block.targets);
  if (begin >= last) return;
  right_.weights.multiply_transposed(r.dr.view().rows_between(begin, last),
                                     rows.rows_between(0, last - begin), 1);
}

std::vector<ParameterTensor> GatV2Conv::tensors() {
  std::vector<ParameterTensor> all = {{"att", &att_, {1, shape_.heads, shape_.out}}};
  for (Transform* transform : {&left_, &right_}) {
    const std::string name = transform == &left_ ? "lin_l" : "lin_r";
    all.push_back({name + ".weight", &transform->weights, {width(), shape_.in}});
    if (shape_.bias) all.push_back({name + ".bias", &transform->bias, {width()}});
  }
  if (bias_.size() != 0) all.push_back({"bias", &bias_, {bias_.out()}});
  return all;
}

}  // namespace frugal::gnn
