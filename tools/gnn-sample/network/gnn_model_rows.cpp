// Rows between two convolutions: activation, shortcuts, and the joined rows of all layers.
#include <algorithm>

#include "libcore/kernels/kernels.h"
#include "tools/gnn-sample/network/gnn_model.h"
#include "tools/gnn-sample/network/row_chunks.h"

namespace frugal::gnn {

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
  if (l.shortcut.size() == 0) {
    input.rows.copy(begin, end, states);
  } else {
    multiply_rows(input.rows, begin, end, l.shortcut, states, 2);
    add_bias(l.shortcut_bias, states);
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
  if (l.residual) {
    const MatrixView<const float> joined = room.djoined_.view();
    for (std::size_t t = begin; t < std::min(end, joined.rows); ++t) {
      kernels().axpy(1, joined.row(t) + joined_column(layer), rows.row(t - begin), rows.cols);
    }
    copy_rows_or_zero(rows, 0, rows.rows, r.dstates.view().rows_between(begin, end));
  }
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
  if (l.shortcut.size() != 0) {
    return l.shortcut.multiply_transposed(dstates.rows_between(begin, last),
                                          rows.rows_between(0, last - begin), 1);
  }
  for (std::size_t t = begin; t < last; ++t) {
    kernels().axpy(1, dstates.row(t), rows.row(t - begin), rows.cols);
  }
}

void GnnModel::backward_shortcut(const ConvInput& input, GnnRoom& room, std::size_t layer) {
  Weights& shortcut = layers_[layer].shortcut;
  if (shortcut.size() == 0) return;
  const MatrixView<const float> dstates = std::as_const(room.layers_[layer].dstates).view();
  const bool sparse = input.rows.sparse();
  if (sparse) {
    SparseColumns& columns = room.layers_[layer].columns;
    columns.assign(input.rows, input.block.targets);
    columns.add_products(dstates, shortcut.gradient(0));
  }
  for_each_grouped_chunk(
      input.block.targets, [&](std::size_t group, std::size_t begin, std::size_t end) {
        const MatrixView<const float> gradients = dstates.rows_between(begin, end);
        add_bias_gradient(layers_[layer].shortcut_bias, group, gradients);
        if (sparse) return;
        const MatrixView<float> x = working_rows(end - begin, shortcut.in());
        input.rows.copy(begin, end, x);
        shortcut.add_gradient(group, x, gradients);
      });
}

std::size_t GnnModel::joined_column(std::size_t block) const {
  return num_features_ + block * options_.hidden;
}

void GnnModel::join_rows(const GnnBatch& batch, const GnnPass& pass, GnnRoom& room) const {
  const SourceRows features = input_of(batch, pass, room, 0).rows;
  const std::size_t seeds = batch.blocks.back().targets;
  room.joined_.resize(seeds, num_joined());
  room.joined_rows_ = room.joined_.view();
  for_each_chunk(seeds, [&](std::size_t begin, std::size_t end) {
    features.copy(begin, end, room.joined_.columns(0, num_features_).rows_between(begin, end));
    for (std::size_t l = 0; l < options_.num_layers; ++l) {
      const MatrixView<float> to = room.joined_.columns(joined_column(l), joined_column(l + 1));
      copy_rows_or_zero(room.layers_[l].states.view(), begin, end, to.rows_between(begin, end));
    }
  });
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
