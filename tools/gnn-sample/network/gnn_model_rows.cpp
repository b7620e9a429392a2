// Rows before and between convolutions: dropped features, activation, shortcuts, and the joined
// rows of all layers.
#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

#include "libcore/kernels/kernels.h"
#include "tools/gnn-sample/layers/row_chunks.h"
#include "tools/gnn-sample/network/gnn_model.h"

namespace frugal::gnn {

/// The features of the batch as floats, with dropout.
void GnnModel::drop_features(const GnnBatch& batch, const GnnPass& pass, GnnRoom& room) const {
  const std::size_t rows = batch.blocks.front().sources;
  const SourceRows features(batch.features, batch.nodes);
  const Dropout dropout(options_.input_dropout, pass, layers_.size());
  if (features.sparse()) {
    return drop_sparse_features(features, dropout, rows, room.sparse_features_);
  }
  room.features_.resize(rows, num_inputs());
  for_each_chunk(rows, [&](std::size_t begin, std::size_t end) {
    const MatrixView<float> out = room.features_.view().rows_between(begin, end);
    features.copy(begin, end, out);
    for (std::size_t r = begin; r < end; ++r) dropout.apply(r, out.row_span(r - begin));
  });
}

/// Copies the sparse features without the dropped numbers: each row to where it would begin with
/// all of them, and then to the end of the row before.
void GnnModel::drop_sparse_features(const SourceRows& features, const Dropout& dropout,
                                    std::size_t rows, SparseRows& to) const {
  to.dim = num_inputs();
  to.offsets.assign(1, 0);
  features.for_each_sparse(0, rows,
                           [&](std::size_t, std::span<const std::uint32_t> columns, const float*) {
                             to.offsets.push_back(to.offsets.back() + columns.size());
                           });
  to.columns.resize(to.offsets[rows]);
  to.values.resize(to.offsets[rows] * sizeof(float));
  std::vector<std::size_t> sizes(rows);
  for_each_chunk(rows, [&](std::size_t begin, std::size_t end) {
    features.for_each_sparse(
        begin, end,
        [&](std::size_t s, std::span<const std::uint32_t> columns, const float* values) {
          const std::uint64_t at = to.offsets[s];
          sizes[s] = dropout.copy_kept(s, columns, values, to.columns.data() + at,
                                       to.floats().data() + at);
        });
  });
  std::uint64_t end = 0;
  for (std::size_t s = 0; s < rows; ++s) {
    const std::uint64_t begin = std::exchange(to.offsets[s], end);
    std::copy_n(to.columns.data() + begin, sizes[s], to.columns.data() + end);
    std::copy_n(to.floats().data() + begin, sizes[s], to.floats().data() + end);
    end += sizes[s];
  }
  to.offsets[rows] = end;
  to.columns.resize(end);
  to.values.resize(end * sizeof(float));
}

/// Applies activation, dropout and shortcut to output rows of the convolution or its norm.
void GnnModel::forward_rows(const ConvInput& input, GnnRoom& room, std::size_t layer,
                            std::size_t begin, std::size_t end) const {
  const Layer& l = layers_[layer];
  if (!l.has_activation) return;
  GnnRoom::LayerRoom& r = room.layers_[layer];
  const MatrixView<float> rows = r.outputs.view().rows_between(begin, end);
  activate(l.activation, Dropout(l.dropout, input.pass, layer), begin, rows);
  if (!l.residual) return;
  const MatrixView<float> states = r.states.view().rows_between(begin, end);
  if (l.shortcut.empty()) {
    input.rows.copy(begin, end, states);
  } else {
    l.shortcut.forward(input.rows, begin, states, 0);
  }
  for (std::size_t t = 0; t < rows.rows; ++t) {
    kernels().axpy(1, rows.row(t), states.row(t), rows.cols);
  }
}

/// From the gradient of what is read of rows from `begin` on, in place, to that of what
/// forward_rows() was given.
void GnnModel::output_gradient(const ConvInput& input, GnnRoom& room, std::size_t layer,
                               std::size_t begin, MatrixView<float> rows) const {
  const Layer& l = layers_[layer];
  if (!l.has_activation) return;
  GnnRoom::LayerRoom& r = room.layers_[layer];
  const std::size_t end = begin + rows.rows;
  if (l.joined) {
    const MatrixView<const float> joined = room.djoined_.view();
    for (std::size_t t = begin; t < std::min(end, joined.rows); ++t) {
      kernels().axpy(1, joined.row(t) + joined_column(l.block), rows.row(t - begin), rows.cols);
    }
  }
  if (l.residual) copy_rows_or_zero(rows, 0, rows.rows, r.dstates.view().rows_between(begin, end));
  activate_backward(l.activation, Dropout(l.dropout, input.pass, layer), begin,
                    r.outputs.view().rows_between(begin, end), rows);
}

void GnnModel::input_gradient(const ConvInput& input, const GnnRoom& room, std::size_t layer,
                              std::size_t begin, std::size_t end, MatrixView<float> rows) const {
  const Layer& l = layers_[layer];
  const GnnRoom::LayerRoom& r = room.layers_[layer];
  l.conv->input_gradient(input, *r.conv, begin, end, rows);
  if (!l.residual) return;
  const MatrixView<const float> dstates = r.dstates.view();
  const std::size_t last = std::min(end, dstates.rows);
  if (begin >= last) return;
  if (!l.shortcut.empty()) {
    return l.shortcut.add_input_gradient(dstates.rows_between(begin, last),
                                         rows.rows_between(0, last - begin));
  }
  for (std::size_t t = begin; t < last; ++t) {
    kernels().axpy(1, dstates.row(t), rows.row(t - begin), rows.cols);
  }
}

void GnnModel::feature_gradient(const GnnBatch& batch, const GnnPass& pass, const GnnRoom& room,
                                std::size_t begin, std::size_t end, MatrixView<float> rows) const {
  assert(batch.wants_gradient && pass.training && rows.cols == num_inputs());
  input_gradient(input_of(batch, pass, room, 0), room, 0, begin, end, rows);
  if (joins_features()) {
    const MatrixView<const float> joined = room.djoined_.view();
    for (std::size_t s = begin; s < std::min(end, joined.rows); ++s) {
      kernels().axpy(1, joined.row(s), rows.row(s - begin), num_features_);
    }
  }
  if (options_.input_dropout == 0) return;
  const Dropout dropout(options_.input_dropout, pass, layers_.size());
  for (std::size_t s = begin; s < end; ++s) dropout.apply(s, rows.row_span(s - begin));
}

std::size_t GnnModel::joined_column(std::size_t block) const {
  if (joins_features()) return num_features_ + block * options_.hidden;
  return sums_blocks() ? 0 : block * block_outputs(0);
}

void GnnModel::join_rows(const GnnBatch& batch, const GnnPass& pass, GnnRoom& room) const {
  const SourceRows features = input_of(batch, pass, room, 0).rows;
  const std::size_t seeds = batch.blocks.back().targets;
  room.joined_.resize(seeds, num_joined());
  room.joined_rows_ = room.joined_.view();
  for_each_chunk(seeds, [&](std::size_t begin, std::size_t end) {
    if (joins_features()) {
      features.copy(begin, end, room.joined_.columns(0, num_features_).rows_between(begin, end));
    }
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      if (layers_[l].joined) join_layer(room, l, begin, end);
    }
  });
}

/// Copies rows [begin, end) of a layer's results to its columns, or adds them to the sum.
void GnnModel::join_layer(GnnRoom& room, std::size_t layer, std::size_t begin,
                          std::size_t end) const {
  const GnnRoom::LayerRoom& r = room.layers_[layer];
  const MatrixView<const float> from = (layers_[layer].residual ? r.states : r.outputs).view();
  const std::size_t block = layers_[layer].block, column = joined_column(block);
  const MatrixView<float> to =
      room.joined_.columns(column, column + from.cols).rows_between(begin, end);
  if (!sums_blocks() || block == 0) return copy_rows_or_zero(from, begin, end, to);
  for (std::size_t t = begin; t < end; ++t) {
    kernels().axpy(1, from.row(t), to.row(t - begin), to.cols);
  }
}

/// The gradients of the joined rows, which layer `layer` has read.
void GnnModel::split_joined(const ConvInput& input, GnnRoom& room, std::size_t layer) const {
  const std::size_t seeds = room.joined_.view().rows;
  room.djoined_.resize(seeds, room.joined_.view().cols);
  for_each_chunk(seeds, [&](std::size_t begin, std::size_t end) {
    input_gradient(input, room, layer, begin, end, room.djoined_.view().rows_between(begin, end));
  });
}

}  // namespace frugal::gnn
