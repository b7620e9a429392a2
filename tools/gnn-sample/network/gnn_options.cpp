#include "tools/gnn-sample/network/gnn_options.h"

namespace frugal::gnn {

std::string_view gnn_kind_name(GnnKind kind) {
  return kGnnKindNames.at(static_cast<std::size_t>(kind));
}

void describe_network(const OptionFields& fields, GnnOptions& options) {
  fields.add("--hidden", options.hidden, "units of a layer; gat: of each head").range(1, 65536);
  fields.add("--aggregate", options.aggregate, kSageAggregateNames,
             "sage: what is taken of the neighbours");
  fields.add("--heads", options.heads, "gat: heads of each layer but the last, side by side")
      .range(1, 256);
  fields.add("--output-heads", options.output_heads, "gat: heads of the last layer, averaged")
      .range(1, 256);
  fields.add("--head-layers", options.head_layers, "dense layers after the last convolution")
      .range(0, 16);
  fields.add("--activation", options.activation, kActivationNames,
             "activation function; auto: elu with gat, leaky-relu with sage-ri, else relu");
  fields
      .add("--dropout", options.dropout,
           "share of units left out after each layer but the last; gin with --head-layers: only "
           "after the head's layers")
      .range(0.0, 0.99);
  fields.add("--input-dropout", options.input_dropout, "share of features left out")
      .range(0.0, 0.99);
  fields.add("--attention-dropout", options.attention_dropout, "gat: share of edges left out")
      .range(0.0, 0.99);
  fields.add(
      "--batch-norm", options.batch_norm,
      "normalise after each layer but the last; gin: within its convolutions; sage-ri: after "
      "its convolutions");
  fields.add("--bias,!--no-bias", options.bias, "convolutions have a bias");
  fields.add("--train-epsilon", options.train_epsilon, "gin: train the weight of a node's own row");
}

}  // namespace frugal::gnn
