#include "tools/gnn-sample/network/gnn_model.h"

#include <algorithm>
#include <cassert>

#include "libcore/threading/parallel.h"
#include "tools/gnn-sample/network/chunk_work.h"
#include "tools/gnn-sample/network/dense_conv.h"
#include "tools/gnn-sample/network/gat_conv.h"
#include "tools/gnn-sample/network/sage_conv.h"
#include "tools/gnn-sample/network/sum_conv.h"

namespace frugal {

GnnModel::GnnModel(const GnnOptions& options, std::size_t num_features, std::size_t num_outputs)
    : options_(options), num_features_(num_features), num_outputs_(num_outputs) {
  assert(options.num_layers > 0);
  const std::size_t last = options.num_layers + options.head_layers - 1;
  std::size_t in = num_features;
  for (std::size_t l = 0; l <= last; ++l) {
    const std::size_t out = l == last ? num_outputs : options.hidden;
    if (l < options.num_layers) {
      add_conv(l, in, out, l == last);
    } else {
      const std::string number = std::to_string(l - options.num_layers);
      Layer layer;
      layer.name = "lins." + number;
      layer.conv = std::make_unique<DenseConv>(in, out, true);
      layer.block = options.num_layers - 1;
      layer.dense = true;
      add_layer(std::move(layer), "lin_bns." + number, l == last);
    }
    in = layers_.back().conv->num_outputs();
  }
}

/// The last layer has neither norm nor activation.
void GnnModel::add_layer(Layer layer, const std::string& norm_name, bool last) {
  layer.activation = options_.activation;
  layer.has_activation = !last;
  layer.dropout = last ? 0 : options_.dropout;
  if (options_.batch_norm && !last && !norm_name.empty()) {
    layer.norm_name = norm_name;
    layer.norm = std::make_unique<BatchNorm>(layer.conv->num_outputs());
  }
  layers_.push_back(std::move(layer));
}

void GnnModel::add_conv(std::size_t block, std::size_t in, std::size_t out, bool last) {
  if (options_.kind == GnnKind::gin) return add_gin(block, in, out, last);
  const std::string number = std::to_string(block);
  Layer layer;
  layer.name = "convs." + number;
  layer.block = block;
  if (options_.kind == GnnKind::gcn) {
    layer.conv = std::make_unique<GcnConv>(in, out, options_.bias);
  } else if (options_.kind == GnnKind::gat) {
    layer.conv = std::make_unique<GatConv>(GatShape{
        .in = in,
        .out = out,
        .heads = last ? options_.output_heads : options_.heads,
        .concatenate = !last,
        .bias = options_.bias,
        .attention_dropout = options_.attention_dropout,
    });
  } else {
    layer.conv = std::make_unique<SageConv>(in, out, options_.aggregate, options_.bias);
  }
  add_layer(std::move(layer), "bns." + number, last);
}

/// The MLP of a graph isomorphism network has one hidden layer, which has the norm.
void GnnModel::add_gin(std::size_t block, std::size_t in, std::size_t out, bool last) {
  const std::string name = "convs." + std::to_string(block);
  const std::size_t hidden = options_.hidden;
  Layer first;
  first.name = name;
  first.conv = std::make_unique<GinConv>(in, hidden, options_.bias, options_.train_epsilon);
  first.block = block;
  add_layer(std::move(first), name + ".nn.1", false);
  layers_.back().dropout = 0;
  Layer second;
  second.name = name + ".nn.3";
  second.conv = std::make_unique<DenseConv>(hidden, out, true);
  second.block = block;
  second.dense = true;
  add_layer(std::move(second), "", last);
}

void GnnModel::randomize(std::uint64_t seed) {
  for (std::size_t l = 0; l < layers_.size(); ++l) layers_[l].conv->randomize(seed, l);
}

std::unique_ptr<GnnRoom> GnnModel::make_room() const {
  auto room = std::make_unique<GnnRoom>();
  for (const Layer& layer : layers_) {
    room->layers_.emplace_back().conv = layer.conv->make_room();
  }
  return room;
}

/// Layer `layer` reads the features or what the layer below left in the room.
ConvInput GnnModel::input_of(const GnnBatch& batch, const GnnPass& pass, const GnnRoom& room,
                             std::size_t layer) const {
  ConvInput input;
  input.block = batch.blocks[layers_[layer].block];
  if (layers_[layer].dense) input.block = {input.block.targets, input.block.targets};
  input.degrees =
      batch.degrees.first(std::min<std::size_t>(batch.degrees.size(), input.block.sources));
  input.layer = layer;
  input.pass = pass;
  input.wants_gradient = layer > 0 && pass.training;
  input.transposed = &room.layers_[layer].transposed;
  if (layer > 0) {
    input.rows = SourceRows(room.layers_[layer - 1].outputs.view());
  } else if (pass.training && options_.input_dropout > 0) {
    input.rows = SourceRows(room.features_.view());
  } else {
    input.rows = SourceRows(batch.features, batch.nodes);
  }
  return input;
}

/// The features of the batch as floats, with dropout.
void GnnModel::drop_features(const GnnBatch& batch, const GnnPass& pass, GnnRoom& room) const {
  const std::size_t rows = batch.blocks.front().sources;
  const SourceRows features(batch.features, batch.nodes);
  const Dropout dropout(options_.input_dropout, pass, layers_.size());
  room.features_.resize(rows, num_features_);
  for_each_chunk(rows, [&](std::size_t begin, std::size_t end) {
    const MatrixView<float> out = room.features_.view().rows_between(begin, end);
    features.copy(begin, end, out);
    for (std::size_t r = begin; r < end; ++r) dropout.apply(r, out.row_span(r - begin));
  });
}

MatrixView<const float> GnnModel::forward(const GnnBatch& batch, const GnnPass& pass,
                                          GnnRoom& room) const {
  assert(batch.blocks.size() == options_.num_layers && batch.features.dim == num_features_);
  if (pass.training && options_.input_dropout > 0) drop_features(batch, pass, room);
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    forward_layer(input_of(batch, pass, room, l), pass, room, l);
  }
  return room.layers_.back().outputs.view();
}

void GnnModel::forward_layer(const ConvInput& input, const GnnPass& pass, GnnRoom& room,
                             std::size_t layer) const {
  const Layer& l = layers_[layer];
  GnnRoom::LayerRoom& r = room.layers_[layer];
  const std::size_t rows = input.block.targets;
  assert(layer == 0 || room.layers_[layer - 1].outputs.view().rows == input.block.sources);
  r.outputs.resize(rows, l.conv->num_outputs());
  const Dropout dropout(l.dropout, pass, layer);
  const auto finish = [&](std::size_t begin, std::size_t end) {
    if (!l.has_activation) return;
    activate(l.activation, dropout, begin, r.outputs.view().rows_between(begin, end));
  };
  if (l.norm == nullptr) {
    l.conv->forward(input, *r.conv, r.outputs.view(), finish);
    return;
  }
  const auto normalize = [&](MatrixView<const float> sums, std::size_t begin, std::size_t end) {
    l.norm->normalize(r.norm, sums.rows_between(begin, end),
                      r.outputs.view().rows_between(begin, end));
    finish(begin, end);
  };
  if (!pass.training) {
    l.norm->use_running(r.norm);
    l.conv->forward(input, *r.conv, r.outputs.view(), [&](std::size_t begin, std::size_t end) {
      normalize(r.outputs.view(), begin, end);
    });
    return;
  }
  r.sums.resize(rows, l.conv->num_outputs());
  l.norm->begin_batch(r.norm, rows, (rows + kChunkRows - 1) / kChunkRows);
  l.conv->forward(input, *r.conv, r.sums.view(), [&](std::size_t begin, std::size_t end) {
    l.norm->add_chunk(r.norm, begin / kChunkRows, r.sums.view().rows_between(begin, end));
  });
  l.norm->finish_moments(r.norm);
  for_each_chunk(rows,
                 [&](std::size_t begin, std::size_t end) { normalize(r.sums.view(), begin, end); });
}

void GnnModel::backward(const GnnBatch& batch, const GnnPass& pass, GnnRoom& room,
                        MatrixView<const float> gradient) {
  assert(pass.training && gradient.cols == num_outputs_);
  parallel_for(layers_.size(), 1, [&](std::size_t l) {
    if (l > 0 && layers_[l].conv->wants_transposed()) {
      room.layers_[l].transposed.assign(batch.blocks[layers_[l].block]);
    }
  });
  OutputGradient above = [&](std::size_t begin, std::size_t end, MatrixView<float> rows) {
    copy_rows_or_zero(gradient, begin, end, rows);
  };
  for (std::size_t l = layers_.size(); l-- > 0;) {
    backward_layer(batch, pass, room, l, above);
    above = [&, l](std::size_t begin, std::size_t end, MatrixView<float> rows) {
      layers_[l].conv->input_gradient(input_of(batch, pass, room, l), *room.layers_[l].conv, begin,
                                      end, rows);
    };
  }
}

/// gradient: of the layer's output behind activation and dropout.
void GnnModel::backward_layer(const GnnBatch& batch, const GnnPass& pass, GnnRoom& room,
                              std::size_t layer, const OutputGradient& gradient) {
  Layer& l = layers_[layer];
  GnnRoom::LayerRoom& r = room.layers_[layer];
  const ConvInput input = input_of(batch, pass, room, layer);
  const Dropout dropout(l.dropout, pass, layer);
  const auto inner = [&](std::size_t begin, std::size_t end, MatrixView<float> rows) {
    gradient(begin, end, rows);
    if (!l.has_activation) return;
    activate_backward(l.activation, dropout, begin, r.outputs.view().rows_between(begin, end),
                      rows);
  };
  if (l.norm == nullptr) return l.conv->backward(input, *r.conv, inner);
  const std::size_t rows = input.block.targets;
  r.gradients.resize(rows, l.conv->num_outputs());
  for_each_grouped_chunk(rows, [&](std::size_t group, std::size_t begin, std::size_t end) {
    const MatrixView<float> dy = r.gradients.view().rows_between(begin, end);
    inner(begin, end, dy);
    l.norm->add_gradient(r.norm, group, r.sums.view().rows_between(begin, end), dy);
  });
  l.norm->finish_sums(r.norm);
  l.conv->backward(input, *r.conv, [&](std::size_t begin, std::size_t end, MatrixView<float> dx) {
    l.norm->backward(r.norm, r.sums.view().rows_between(begin, end),
                     r.gradients.view().rows_between(begin, end), dx);
  });
}

}  // namespace frugal
