#include "tools/gnn-sample/network/gnn_model.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "libcore/threading/parallel.h"
#include "tools/gnn-sample/layers/dense_conv.h"
#include "tools/gnn-sample/layers/row_chunks.h"
#include "tools/gnn-sample/network/conv_kinds.h"

namespace frugal::gnn {
namespace {

/// First stream of random numbers for shortcuts, after those of layers.
constexpr std::uint64_t kShortcutStream = std::uint64_t{1} << 32;

}  // namespace

GnnModel::GnnModel(const GnnOptions& options, std::size_t num_features, std::size_t num_outputs)
    : options_(options), num_features_(num_features), num_outputs_(num_outputs) {
  assert(options.num_layers > 0);
  if (conv_kind(options.kind).reads_hops) {
    hop_mean_ = Weights(1, num_inputs());
    hop_factor_ = Weights(1, num_inputs());
  }
  if (joins_features()) {
    add_inception();
  } else {
    add_chain();
  }
}

void GnnModel::add_chain() {
  std::size_t in = num_inputs();
  for (std::size_t l = 0; l < options_.num_layers; ++l) {
    const bool last = l + 1 == options_.num_layers && options_.head_layers == 0;
    add_conv(l, in, last ? num_outputs_ : options_.hidden, last);
    in = layers_.back().conv->num_outputs();
    layers_.back().joined = jumps();
  }
  add_dense_layers(jumps() ? num_joined() : in);
}

void GnnModel::add_dense_layers(std::size_t in) {
  for (std::size_t l = 0; l < options_.head_layers; ++l) {
    const bool last = l + 1 == options_.head_layers;
    const std::string number = std::to_string(l);
    Layer layer;
    layer.name = "lins." + number;
    layer.conv = std::make_unique<DenseConv>(in, last ? num_outputs_ : options_.hidden, true,
                                             options_.precision);
    layer.block = options_.num_layers - 1;
    layer.dense = true;
    layer.reads_joined = l == 0 && jumps();
    const bool has_norm = !conv_kind(options_.kind).has_mlp;
    add_layer(std::move(layer), has_norm ? "lin_bns." + number : "", last);
    in = layers_.back().conv->num_outputs();
  }
}

/// As SALIENT's GraphSAGE-RI (Kaler et al., MLSys 2022): each layer's input is added to its output,
/// and two dense layers, with nothing between them, read the seeds' features and these sums of all
/// layers side by side. SALIENT also drops some of what each convolution reads.
void GnnModel::add_inception() {
  std::size_t in = num_features_;
  for (std::size_t l = 0; l < options_.num_layers; ++l) {
    add_conv(l, in, options_.hidden, false);
    Layer& layer = layers_.back();
    layer.residual = layer.joined = true;
    if (in != options_.hidden) {
      layer.shortcut = Shortcut(in, options_.hidden, true, options_.precision);
    }
    in = options_.hidden;
  }
  const std::size_t joined = num_features_ + options_.num_layers * options_.hidden;
  const std::size_t sizes[] = {joined, 2 * num_outputs_, num_outputs_};
  for (std::size_t l = 0; l < 2; ++l) {
    const std::string number = std::to_string(l);
    Layer layer;
    layer.name = "mlp.lins." + number;
    layer.conv = std::make_unique<DenseConv>(sizes[l], sizes[l + 1], true, options_.precision);
    layer.block = options_.num_layers - 1;
    layer.dense = true;
    layer.reads_joined = l == 0;
    add_layer(std::move(layer), "", true);
  }
}

/// The last layer has neither norm nor activation nor dropout. norm_name: of a batch norm.
void GnnModel::add_layer(Layer layer, const std::string& norm_name, bool last) {
  layer.activation = options_.activation;
  layer.has_activation = !last;
  layer.dropout = last ? 0 : options_.dropout;
  layer.norm_name = last ? "" : norm_name;
  const std::size_t units = layer.conv->num_outputs();
  if (options_.norm == NormKind::batch && !layer.norm_name.empty()) {
    layer.norm = std::make_unique<BatchNorm>(units);
  } else if (options_.norm == NormKind::layer && !layer.norm_name.empty()) {
    layer.row_norm = std::make_unique<LayerNorm>(units);
    if (const auto at = layer.norm_name.find("bns."); at != std::string::npos) {
      layer.norm_name.replace(at, 1, "l");
    }
  }
  layers_.push_back(std::move(layer));
}

void GnnModel::add_conv(std::size_t block, std::size_t in, std::size_t out, bool last) {
  const ConvKind& kind = conv_kind(options_.kind);
  const std::string number = std::to_string(block);
  Layer layer;
  layer.name = "convs." + number;
  layer.block = block;
  layer.dense = kind.reads_hops;
  layer.conv = kind.make(options_, {in, kind.has_mlp ? options_.hidden : out, last});
  if (options_.residual && !kind.joins_blocks) {
    layer.conv = std::make_unique<ResidualConv>(std::move(layer.conv), in, options_.bias,
                                                options_.precision);
  }
  if (kind.has_mlp) return add_mlp(std::move(layer), out, last);
  add_layer(std::move(layer), kind.activates_hops ? "" : "bns." + number, last);
  if (!kind.activates_hops) return;
  layers_.back().has_activation = false;  // and no dropout: the rows of hops have both
  layers_.back().dropout = 0;
}

/// The MLP of a graph isomorphism network has one hidden layer, the convolution's outputs, which
/// has the norm. With dense layers at the end dropout is between those alone, as in SALIENT.
void GnnModel::add_mlp(Layer first, std::size_t out, bool last) {
  Layer second;
  second.name = first.name + ".nn.3";
  second.conv = std::make_unique<DenseConv>(options_.hidden, out, true, options_.precision);
  second.block = first.block;
  second.dense = true;
  const std::string norm = first.name + ".nn.1";
  add_layer(std::move(first), norm, false);
  layers_.back().dropout = 0;
  add_layer(std::move(second), "", last);
  if (options_.head_layers > 0) layers_.back().dropout = 0;
}

void GnnModel::randomize(std::uint64_t seed) {
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    layers_[l].conv->randomize(seed, kLayerStreams * l);
    if (!layers_[l].shortcut.empty()) layers_[l].shortcut.randomize(seed, kShortcutStream + 2 * l);
  }
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
  input.block = block_of(batch, layer);
  if (layers_[layer].dense) input.block = {input.block.targets, input.block.targets};
  input.degrees =
      batch.degrees.first(std::min<std::size_t>(batch.degrees.size(), input.block.sources));
  input.weighted_degrees = batch.weighted_degrees.first(
      std::min<std::size_t>(batch.weighted_degrees.size(), input.block.sources));
  input.layer = layer;
  input.pass = pass;
  input.wants_gradient = (layer > 0 || batch.wants_gradient) && pass.training;
  input.transposed = &room.layers_[layer].transposed;
  if (layers_[layer].reads_joined) {
    input.rows = SourceRows(room.joined_rows_);
  } else if (layer > room.first_) {
    const GnnRoom::LayerRoom& below = room.layers_[layer - 1];
    input.rows = SourceRows((layers_[layer - 1].residual ? below.states : below.outputs).view());
  } else if (pass.training && options_.input_dropout > 0) {
    input.rows = batch.features.sparse() ? SourceRows(room.sparse_features_.view(), {})
                                         : SourceRows(room.features_.view());
  } else {
    input.rows = SourceRows(batch.features, batch.nodes);
  }
  return input;
}

MatrixView<const float> GnnModel::forward(const GnnBatch& batch, const GnnPass& pass,
                                          GnnRoom& room) const {
  assert(batch.blocks.size() == options_.num_layers && batch.features.dim == num_inputs());
  room.first_ = 0;
  if (pass.training && options_.input_dropout > 0) drop_features(batch, pass, room);
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    if (layers_[l].reads_joined) join_rows(batch, pass, room);
    forward_layer(input_of(batch, pass, room, l), pass, room, l);
  }
  return room.layers_.back().outputs.view();
}

MatrixView<const float> GnnModel::forward_block(std::size_t block, const GnnBatch& inputs,
                                                GnnRoom& room) const {
  assert(inputs.blocks.size() == 1);
  std::size_t l = 0;
  while (layers_[l].block != block) ++l;
  room.first_ = l;
  while (l < layers_.size() && layers_[l].block == block && !layers_[l].reads_joined) {
    forward_layer(input_of(inputs, {}, room, l), {}, room, l);
    ++l;
  }
  const GnnRoom::LayerRoom& last = room.layers_[l - 1];
  return (layers_[l - 1].residual ? last.states : last.outputs).view();
}

MatrixView<const float> GnnModel::forward_joined(MatrixView<const float> rows,
                                                 GnnRoom& room) const {
  assert(joins_blocks() && rows.cols == num_joined());
  const auto count = static_cast<std::uint32_t>(rows.rows);
  const Block block = {count, count};
  GnnBatch batch;
  batch.blocks = {&block, 1};
  room.joined_rows_ = rows;
  room.first_ = 0;
  while (!layers_[room.first_].reads_joined) ++room.first_;
  for (std::size_t l = room.first_; l < layers_.size(); ++l) {
    forward_layer(input_of(batch, {}, room, l), {}, room, l);
  }
  return room.layers_.back().outputs.view();
}

std::size_t GnnModel::block_outputs(std::size_t block) const {
  std::size_t outputs = 0;
  for (const Layer& layer : layers_) {
    if (layer.reads_joined) break;
    if (layer.block == block) outputs = layer.conv->num_outputs();
  }
  return outputs;
}

void GnnModel::forward_layer(const ConvInput& input, const GnnPass& pass, GnnRoom& room,
                             std::size_t layer) const {
  const Layer& l = layers_[layer];
  GnnRoom::LayerRoom& r = room.layers_[layer];
  const std::size_t rows = input.block.targets;
  assert(layer == room.first_ ||
         room.layers_[layer - 1].outputs.view().rows == input.block.sources);
  r.outputs.resize(rows, l.conv->num_outputs());
  if (l.residual) r.states.resize(rows, l.conv->num_outputs());
  const auto finish = [&](std::size_t begin, std::size_t end) {
    forward_rows(input, room, layer, begin, end);
  };
  if (l.row_norm != nullptr) return forward_row_norm(input, room, layer, finish);
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

/// The norm of a row reads it in place, unless the backward pass will read it again.
void GnnModel::forward_row_norm(const ConvInput& input, GnnRoom& room, std::size_t layer,
                                const RowsDone& finish) const {
  const Layer& l = layers_[layer];
  GnnRoom::LayerRoom& r = room.layers_[layer];
  if (input.pass.training) r.sums.resize(input.block.targets, l.conv->num_outputs());
  const MatrixView<float> sums = input.pass.training ? r.sums.view() : r.outputs.view();
  l.conv->forward(input, *r.conv, sums, [&](std::size_t begin, std::size_t end) {
    l.row_norm->normalize(sums.rows_between(begin, end), r.outputs.view().rows_between(begin, end));
    finish(begin, end);
  });
}

void GnnModel::backward(const GnnBatch& batch, const GnnPass& pass, GnnRoom& room,
                        MatrixView<const float> gradient) {
  assert(pass.training && gradient.cols == num_outputs_);
  parallel_for(layers_.size(), 1, [&](std::size_t l) {
    if ((l > 0 || batch.wants_gradient) && layers_[l].conv->wants_transposed()) {
      room.layers_[l].transposed.assign(batch.blocks[layers_[l].block]);
    }
  });
  OutputGradient above = [&](std::size_t begin, std::size_t end, MatrixView<float> rows) {
    copy_rows_or_zero(gradient, begin, end, rows);
  };
  for (std::size_t l = layers_.size(); l-- > 0;) {
    backward_layer(batch, pass, room, l, above);
    const ConvInput input = input_of(batch, pass, room, l);
    if (layers_[l].reads_joined) {
      split_joined(input, room, l);
      above = [](std::size_t, std::size_t, MatrixView<float> rows) { set_zero(rows); };
    } else {
      above = [this, &room, input, l](std::size_t begin, std::size_t end, MatrixView<float> rows) {
        input_gradient(input, room, l, begin, end, rows);
      };
    }
  }
}

/// gradient: of what the layer above reads.
void GnnModel::backward_layer(const GnnBatch& batch, const GnnPass& pass, GnnRoom& room,
                              std::size_t layer, const OutputGradient& gradient) {
  Layer& l = layers_[layer];
  GnnRoom::LayerRoom& r = room.layers_[layer];
  const ConvInput input = input_of(batch, pass, room, layer);
  const std::size_t rows = input.block.targets;
  if (l.residual) r.dstates.resize(rows, l.conv->num_outputs());
  const auto inner = [&](std::size_t begin, std::size_t end, MatrixView<float> to) {
    gradient(begin, end, to);
    output_gradient(input, room, layer, begin, to);
  };
  if (l.row_norm != nullptr) {
    r.gradients.resize(rows, l.conv->num_outputs());
    for_each_grouped_chunk(rows, [&](std::size_t group, std::size_t begin, std::size_t end) {
      const MatrixView<float> dy = r.gradients.view().rows_between(begin, end);
      inner(begin, end, dy);
      l.row_norm->backward(group, r.sums.view().rows_between(begin, end), dy);
    });
    l.conv->backward(input, *r.conv, [&](std::size_t begin, std::size_t end, MatrixView<float> dx) {
      copy_rows_or_zero(r.gradients.view(), begin, end, dx);
    });
  } else if (l.norm == nullptr) {
    l.conv->backward(input, *r.conv, inner);
  } else {
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
  if (!l.shortcut.empty()) {
    l.shortcut.backward(input.rows, std::as_const(r.dstates).view(), r.columns);
  }
}

}  // namespace frugal::gnn
