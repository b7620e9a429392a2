// Construction of a model's layers.
#include <cassert>

#include "tools/gnn-sample/network/dense_conv.h"
#include "tools/gnn-sample/network/gat_conv.h"
#include "tools/gnn-sample/network/gnn_model.h"
#include "tools/gnn-sample/network/sage_conv.h"
#include "tools/gnn-sample/network/sum_conv.h"

namespace frugal::gnn {

GnnModel::GnnModel(const GnnOptions& options, std::size_t num_features, std::size_t num_outputs)
    : options_(options), num_features_(num_features), num_outputs_(num_outputs) {
  assert(options.num_layers > 0);
  if (options.kind == GnnKind::sage_ri) {
    add_inception();
  } else {
    add_chain();
  }
}

void GnnModel::add_chain() {
  std::size_t in = num_features_;
  for (std::size_t l = 0; l < options_.num_layers; ++l) {
    const bool last = l + 1 == options_.num_layers && options_.head_layers == 0;
    add_conv(l, in, last ? num_outputs_ : options_.hidden, last);
    in = layers_.back().conv->num_outputs();
  }
  add_dense_layers(in);
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
    add_layer(std::move(layer), options_.kind == GnnKind::gin ? "" : "lin_bns." + number, last);
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
    layer.residual = true;
    if (in != options_.hidden) {
      layer.shortcut = Weights(in, options_.hidden, options_.precision);
      layer.shortcut_bias = Weights(1, options_.hidden);
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

/// The last layer has neither norm nor activation nor dropout.
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
    layer.conv = std::make_unique<GcnConv>(in, out, options_.bias, options_.precision);
  } else if (options_.kind == GnnKind::gat) {
    layer.conv = std::make_unique<GatConv>(GatShape{
        .in = in,
        .out = out,
        .heads = last ? options_.output_heads : options_.heads,
        .concatenate = !last,
        .bias = options_.bias,
        .attention_dropout = options_.attention_dropout,
        .precision = options_.precision,
    });
  } else {
    layer.conv =
        std::make_unique<SageConv>(in, out, options_.aggregate, options_.bias, options_.precision);
  }
  add_layer(std::move(layer), "bns." + number, last);
}

/// The MLP of a graph isomorphism network has one hidden layer, which has the norm. With dense
/// layers at the end dropout is between those alone, as in SALIENT.
void GnnModel::add_gin(std::size_t block, std::size_t in, std::size_t out, bool last) {
  const std::string name = "convs." + std::to_string(block);
  const std::size_t hidden = options_.hidden;
  Layer first;
  first.name = name;
  first.conv = std::make_unique<GinConv>(in, hidden, options_.bias, options_.train_epsilon,
                                         options_.precision);
  first.block = block;
  add_layer(std::move(first), name + ".nn.1", false);
  layers_.back().dropout = 0;
  Layer second;
  second.name = name + ".nn.3";
  second.conv = std::make_unique<DenseConv>(hidden, out, true, options_.precision);
  second.block = block;
  second.dense = true;
  add_layer(std::move(second), "", last);
  if (options_.head_layers > 0) layers_.back().dropout = 0;
}

}  // namespace frugal::gnn
