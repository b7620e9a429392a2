#include "tools/gnn-sample/network/gnn_options.h"

namespace frugal::gnn {

std::string_view gnn_kind_name(GnnKind kind) {
  return kGnnKindNames.at(static_cast<std::size_t>(kind));
}

void describe_network(const OptionFields& f, GnnOptions& n) {
  f.add("--hidden", n.hidden, "units of a layer; gat: of each head").range(1, 65536);
  f.add("--aggregate", n.aggregate, kSageAggregateNames, "sage: what is taken of the neighbours");
  f.add("--heads", n.heads, "gat: heads of each layer but the last, side by side").range(1, 256);
  f.add("--output-heads", n.output_heads, "gat: heads of the last layer, averaged").range(1, 256);
  f.add("--head-layers", n.head_layers, "dense layers after the last convolution").range(0, 16);
  f.add("--activation", n.activation, kActivationNames,
        "activation function; auto: elu with gat, leaky-relu with sage-ri, else relu");
  f.add("--dropout", n.dropout,
        "share of units left out after each layer but the last; gin with --head-layers: only "
        "after the head's layers")
      .range(0.0, 0.99);
  f.add("--input-dropout", n.input_dropout, "share of features left out").range(0.0, 0.99);
  f.add("--attention-dropout", n.attention_dropout, "gat: share of edges left out")
      .range(0.0, 0.99);
  f.add("--batch-norm", n.batch_norm,
        "normalise after each layer but the last; gin: within its convolutions; sage-ri: after "
        "its convolutions");
  f.add("--bias,!--no-bias", n.bias, "convolutions have a bias");
  f.add("--train-epsilon", n.train_epsilon, "gin: train the weight of a node's own row");
}

}  // namespace frugal::gnn
