#include "tools/gnn-sample/layers/hoga_conv.h"

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
namespace {

/// Calls body(begin, end) for pieces of targets [begin, end) whose hops are about as many rows as
/// those of a chunk, so that they fit the cache.
template <class Body>
void for_each_piece(std::size_t begin, std::size_t end, std::size_t parts, const Body& body) {
  const std::size_t targets = std::max<std::size_t>(kChunkRows / parts, 1);
  for (; begin < end; begin += targets) body(begin, std::min(end, begin + targets));
}

/// Converts gradients of the results of a softmax to those of its logits times `factor`, in place.
void softmax_backward(const float* weights, float factor, std::span<float> gradients) {
  const float mean = std::inner_product(gradients.begin(), gradients.end(), weights, 0.0F);
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    gradients[i] = factor * weights[i] * (gradients[i] - mean);
  }
}

}  // namespace

/// Only the backward pass needs the rows of hops again, so they are kept in training alone.
struct HogaConv::Room : ConvRoom {
  RowStore rows;      ///< [targets * parts, 7 width] columns of Piece
  RowStore weights;   ///< [targets, attention weights and those of the read-out]
  RowStore dh;        ///< [targets * parts, width]
  RowStore dout;      ///< [targets, width]
  SparseRows sparse;  ///< [targets * parts] of sparse features
  SparseColumns columns;
};

/// Rows of the hops of targets [begin, end), those of a target one below another.
struct HogaConv::Piece {
  std::size_t begin = 0, end = 0;
  MatrixView<float> h;
  MatrixView<float> products;                      ///< H times all matrices
  MatrixView<float> gates, queries, keys, values;  ///< their columns
  MatrixView<float> mixed;                         ///< S V
  MatrixView<float> z;
  MatrixView<float> weights;  ///< [targets, S of each head, row by row, then a]

  std::size_t first_row(std::size_t t) const { return (t - begin) * (h.rows / (end - begin)); }
};

HogaConv::HogaConv(const GatShape& shape, std::size_t parts, const Units& units)
    : shape_(shape),
      parts_(parts),
      units_(units),
      encoder_(shape.in / parts, shape.width(), shape.precision),
      bias_(shape.bias ? parts : 0, shape.width()),
      products_(shape.width(), 4 * shape.width(), shape.precision),
      norm_(shape.width()),
      att_(1, shape.width()),
      hops_(parts) {
  assert(shape.in % parts == 0 && parts > 1);
  std::iota(hops_.begin(), hops_.end(), 0U);
}

std::unique_ptr<ConvRoom> HogaConv::make_room() const { return std::make_unique<Room>(); }

/// The bounds are those of PyTorch's dense layers; that of `att` is for the paper's 2 width.
void HogaConv::randomize(std::uint64_t seed, std::uint64_t stream) {
  const auto bound = [](std::size_t inputs) { return 1 / std::sqrt(static_cast<double>(inputs)); };
  encoder_.randomize(bound(features()), seed, stream);
  bias_.randomize(bound(features()), seed, stream + 1);
  products_.randomize(bound(width()), seed, stream + 2);
  att_.randomize(bound(2 * width()), seed, stream + 3);
}

float HogaConv::scale() const { return 1 / std::sqrt(static_cast<float>(shape_.out)); }

Dropout HogaConv::unit_dropout(const ConvInput& input) const {
  return Dropout(units_.dropout, input.pass, input.layer);
}

HogaConv::Piece HogaConv::piece_of(const ConvInput& input, Room& room, std::size_t begin,
                                   std::size_t end) const {
  const std::size_t rows = (end - begin) * parts_, d = width();
  const bool stored = input.pass.training;
  const MatrixView<float> all = stored ? room.rows.view().rows_between(begin * parts_, end * parts_)
                                       : working_rows(rows, 7 * d, 1);
  Piece piece;
  piece.begin = begin;
  piece.end = end;
  piece.h = columns_between(all, 0, d);
  piece.products = columns_between(all, d, 4 * d);
  piece.gates = columns_between(all, d, d);
  piece.queries = columns_between(all, 2 * d, d);
  piece.keys = columns_between(all, 3 * d, d);
  piece.values = columns_between(all, 4 * d, d);
  piece.mixed = columns_between(all, 5 * d, d);
  piece.z = columns_between(all, 6 * d, d);
  piece.weights = stored ? room.weights.view().rows_between(begin, end)
                         : working_rows(end - begin, num_weights() + parts_, 2);
  return piece;
}

/// The dense features of the piece's hops, a row each.
MatrixView<float> HogaConv::dense_rows(const SourceRows& rows, const Piece& piece) const {
  const std::size_t targets = piece.end - piece.begin;
  float* const numbers = working_rows(1, targets * shape_.in).data;
  rows.copy(piece.begin, piece.end, {numbers, targets, shape_.in, shape_.in});
  return {numbers, targets * parts_, features(), features()};
}

/// The attention weights of target t after dropout; in training valid until the next call.
const float* HogaConv::dropped_weights(const ConvInput& input, const Piece& piece,
                                       std::size_t t) const {
  const float* const weights = piece.weights.row(t - piece.begin);
  const Dropout dropout = attention_dropout(shape_, input);
  if (!dropout.active()) return weights;
  thread_local std::vector<float> dropped;
  dropped.assign(weights, weights + num_weights());
  dropout.apply(t, dropped);
  return dropped.data();
}

/// Adds the bias of its hop to each row.
void HogaConv::add_biases(const Piece& piece) const {
  if (bias_.size() == 0) return;
  for (std::size_t r = 0; r < piece.h.rows; ++r) {
    kernels().axpy(1, bias_.values().row(r % parts_), piece.h.row(r), width());
  }
}

void HogaConv::add_bias_gradients(std::size_t group, MatrixView<const float> dh) {
  if (bias_.size() == 0) return;
  const MatrixView<float> sums = bias_.gradient(group);
  for (std::size_t r = 0; r < dh.rows; ++r) {
    kernels().axpy(1, dh.row(r), sums.row(r % parts_), width());
  }
}

/// Computes S of target t, and S V.
void HogaConv::attend(const ConvInput& input, const Piece& piece, std::size_t t) const {
  const Kernels& k = kernels();
  const std::size_t first = piece.first_row(t), out = shape_.out;
  const float factor = scale();
  float* weights = piece.weights.row(t - piece.begin);
  for (std::size_t head = 0; head < shape_.heads; ++head) {
    for (std::size_t i = 0; i < parts_; ++i, weights += parts_) {
      const float* const query = piece.queries.row(first + i) + head * out;
      for (std::size_t j = 0; j < parts_; ++j) {
        weights[j] = factor * k.dot(query, piece.keys.row(first + j) + head * out, out);
      }
      k.softmax(weights, parts_);
    }
  }
  const float* dropped = dropped_weights(input, piece, t);
  set_zero(piece.mixed.rows_between(first, first + parts_));
  for (std::size_t head = 0; head < shape_.heads; ++head) {
    const float* const values = piece.values.row(first) + head * out;
    for (std::size_t i = 0; i < parts_; ++i, dropped += parts_) {
      k.gather_sum(values, piece.values.stride, out, hops_.data(), dropped, parts_,
                   piece.mixed.row(first + i) + head * out);
    }
  }
}

/// Computes Z of all hops.
void HogaConv::gate(const ConvInput& input, const Piece& piece) const {
  for (std::size_t r = 0; r < piece.z.rows; ++r) {
    const float* const gates = piece.gates.row(r);
    const float* const mixed = piece.mixed.row(r);
    std::transform(gates, gates + width(), mixed, piece.z.row(r), std::multiplies<>());
  }
  norm_.normalize(piece.z, piece.z);
  activate(units_.activation, unit_dropout(input), piece.begin * parts_, piece.z);
}

/// Computes the row of target t.
void HogaConv::read_out(const Piece& piece, std::size_t t, float* out) const {
  const std::size_t first = piece.first_row(t), others = parts_ - 1;
  float* const weights = piece.weights.row(t - piece.begin) + num_weights();
  std::copy_n(piece.z.row(first), width(), out);
  for (std::size_t k = 0; k < others; ++k) {
    weights[k] = kernels().dot(att_.values().data, piece.z.row(first + 1 + k), width());
  }
  kernels().softmax(weights, others);
  kernels().gather_sum(piece.z.row(first + 1), piece.z.stride, width(), hops_.data(), weights,
                       others, out);
}

void HogaConv::forward(const ConvInput& input, ConvRoom& room, MatrixView<float> out,
                       const RowsDone& done) const {
  auto& r = static_cast<Room&>(room);
  const bool sparse = input.rows.sparse();
  if (sparse) split_hops(input.rows, out.rows, parts_, r.sparse);
  if (input.pass.training) {
    r.rows.resize(out.rows * parts_, 7 * width());
    r.weights.resize(out.rows, num_weights() + parts_);
  }
  const SourceRows sparse_rows(r.sparse.view(), {});
  for_each_chunk(out.rows, [&](std::size_t chunk, std::size_t chunk_end) {
    for_each_piece(chunk, chunk_end, parts_, [&](std::size_t begin, std::size_t end) {
      const Piece piece = piece_of(input, r, begin, end);
      if (sparse) {
        multiply_sparse(sparse_rows, begin * parts_, end * parts_, encoder_.values(), piece.h);
      } else {
        encoder_.multiply(dense_rows(input.rows, piece), piece.h);
      }
      add_biases(piece);
      products_.multiply(piece.h, piece.products);
      for (std::size_t t = begin; t < end; ++t) attend(input, piece, t);
      gate(input, piece);
      for (std::size_t t = begin; t < end; ++t) read_out(piece, t, out.row(t));
    });
    done(chunk, chunk_end);
  });
}

void HogaConv::backward(const ConvInput& input, ConvRoom& room, const OutputGradient& gradient) {
  auto& r = static_cast<Room&>(room);
  const std::size_t targets = input.block.targets;
  r.dout.resize(targets, width());
  r.dh.resize(targets * parts_, width());
  for_each_grouped_chunk(targets, [&](std::size_t group, std::size_t chunk, std::size_t chunk_end) {
    gradient(chunk, chunk_end, r.dout.view().rows_between(chunk, chunk_end));
    for_each_piece(chunk, chunk_end, parts_, [&](std::size_t begin, std::size_t end) {
      backward_piece(input, r, piece_of(input, r, begin, end), group);
    });
  });
  if (!input.rows.sparse()) return;
  r.columns.assign(SourceRows(r.sparse.view(), {}), targets * parts_);
  r.columns.add_products(std::as_const(r.dh).view(), encoder_.gradient(0));
}

/// Computes dh of the piece, and adds to the gradients but for those of sparse features.
void HogaConv::backward_piece(const ConvInput& input, Room& room, const Piece& piece,
                              std::size_t group) {
  const std::size_t d = width(), rows = piece.z.rows;
  const MatrixView<float> all = working_rows(rows, 6 * d, 1);
  const MatrixView<float> dproducts = columns_between(all, 0, 4 * d);
  const MatrixView<float> dz = columns_between(all, 4 * d, d),
                          gated = columns_between(all, 5 * d, d);
  float* const datt = att_.gradient(group).data;
  for (std::size_t t = piece.begin; t < piece.end; ++t) {
    const std::size_t first = piece.first_row(t);
    backward_read_out(piece, t, room.dout.view().row(t), dz.rows_between(first, first + parts_),
                      datt);
  }
  activate_backward(units_.activation, unit_dropout(input), piece.begin * parts_, piece.z, dz);
  for (std::size_t r = 0; r < rows; ++r) {
    const float* const gates = piece.gates.row(r);
    const float* const mixed = piece.mixed.row(r);
    std::transform(gates, gates + d, mixed, gated.row(r), std::multiplies<>());
  }
  norm_.backward(group, gated, dz);
  for (std::size_t r = 0; r < rows; ++r) {
    const float* __restrict gates = piece.gates.row(r);
    const float* __restrict mixed = piece.mixed.row(r);
    float* __restrict dgates = dproducts.row(r);
    float* __restrict dmixed = dz.row(r);
    for (std::size_t i = 0; i < d; ++i) {
      dgates[i] = dmixed[i] * mixed[i];
      dmixed[i] *= gates[i];
    }
  }
  for (std::size_t t = piece.begin; t < piece.end; ++t) {
    backward_attention(input, piece, t, dz, columns_between(all, d, 3 * d));
  }
  products_.add_gradient(group, piece.h, dproducts);
  const MatrixView<float> dh =
      room.dh.view().rows_between(piece.begin * parts_, piece.end * parts_);
  products_.multiply_transposed(dproducts, dh);
  add_bias_gradients(group, dh);
  if (!input.rows.sparse()) encoder_.add_gradient(group, dense_rows(input.rows, piece), dh);
}

/// Writes dz, the gradient of the rows of target t, and adds to datt.
void HogaConv::backward_read_out(const Piece& piece, std::size_t t, const float* dy,
                                 MatrixView<float> dz, float* datt) const {
  const std::size_t first = piece.first_row(t), d = width(), others = parts_ - 1;
  const float* const weights = piece.weights.row(t - piece.begin) + num_weights();
  thread_local std::vector<float> dlogits;
  dlogits.resize(others);
  for (std::size_t k = 0; k < others; ++k) {
    dlogits[k] = kernels().dot(dy, piece.z.row(first + 1 + k), d);
  }
  softmax_backward(weights, 1, dlogits);
  set_zero(dz);
  kernels().axpy(1, dy, dz.row(0), d);
  for (std::size_t k = 0; k < others; ++k) {
    kernels().axpy(weights[k], dy, dz.row(1 + k), d);
    kernels().axpy(dlogits[k], att_.values().data, dz.row(1 + k), d);
    kernels().axpy(dlogits[k], piece.z.row(first + 1 + k), datt, d);
  }
}

/// Writes the gradients of queries, keys and values of target t, side by side.
void HogaConv::backward_attention(const ConvInput& input, const Piece& piece, std::size_t t,
                                  MatrixView<const float> dmixed,
                                  MatrixView<float> dproducts) const {
  const Kernels& kernel = kernels();
  const std::size_t first = piece.first_row(t), d = width(), out = shape_.out;
  thread_local std::vector<float> dlogits;
  dlogits.resize(num_weights());
  float* to = dlogits.data();
  for (std::size_t at = 0; at < d; at += out) {
    for (std::size_t i = 0; i < parts_; ++i) {
      for (std::size_t j = 0; j < parts_; ++j) {
        *to++ = kernel.dot(dmixed.row(first + i) + at, piece.values.row(first + j) + at, out);
      }
    }
  }
  attention_dropout(shape_, input).apply(t, dlogits);
  const float* weights = piece.weights.row(t - piece.begin);
  const float* dropped = dropped_weights(input, piece, t);
  set_zero(dproducts.rows_between(first, first + parts_));
  to = dlogits.data();
  for (std::size_t at = 0; at < d; at += out) {
    for (std::size_t i = 0; i < parts_; ++i) {
      softmax_backward(weights, scale(), {to, parts_});
      for (std::size_t j = 0; j < parts_; ++j) {
        float* const dkey = dproducts.row(first + j) + d + at;
        kernel.axpy(to[j], piece.keys.row(first + j) + at, dproducts.row(first + i) + at, out);
        kernel.axpy(to[j], piece.queries.row(first + i) + at, dkey, out);
        kernel.axpy(dropped[j], dmixed.row(first + i) + at, dkey + d, out);
      }
      to += parts_;
      weights += parts_;
      dropped += parts_;
    }
  }
}

void HogaConv::input_gradient(const ConvInput& input, const ConvRoom& room, std::size_t begin,
                              std::size_t end, MatrixView<float> rows) const {
  const auto& r = static_cast<const Room&>(room);
  set_zero(rows);
  const std::size_t last = std::min<std::size_t>(end, input.block.targets);
  if (begin >= last) return;
  const MatrixView<const float> dh = r.dh.view();
  for (std::size_t k = 0; k < parts_; ++k) {
    encoder_.multiply_transposed(
        {dh.row(begin * parts_ + k), last - begin, dh.cols, dh.stride * parts_},
        columns_between(rows.rows_between(0, last - begin), k * features(), features()));
  }
}

std::vector<ParameterTensor> HogaConv::tensors() {
  std::vector<ParameterTensor> all = {{"lin.weight", &encoder_, {width(), features()}}};
  if (bias_.size() != 0) all.push_back({"hop_bias", &bias_, {width(), parts_}});
  all.push_back({"in_proj.weight", &products_, {4 * width(), width()}});
  all.push_back({"norm.weight", &norm_.gamma(), {width()}});
  all.push_back({"norm.bias", &norm_.beta(), {width()}});
  all.push_back({"att", &att_, {1, shape_.heads, shape_.out}});
  return all;
}

}  // namespace frugal::gnn
