#include "tools/gnn-sample/layers/gnn_options.h"

namespace frugal::gnn {
namespace {

void describe_layers(const OptionFields& fields, GnnOptions& options) {
  fields
      .add("--hidden", options.hidden,
           "number of units in a hidden layer; gat, gatv2, sagn, hoga, rgat, hgt: in each head")
      .range(1, 65536);
  fields.add("--aggregate", options.aggregate, kSageAggregateNames,
             "sage: how the rows of neighbours are combined");
  fields
      .add("--heads", options.heads,
           "gat, gatv2, sagn, hoga, rgat, hgt: number of attention heads in each layer but the "
           "last, "
           "with --head-layers and with hgt in each layer; their outputs are concatenated")
      .range(1, 256);
  fields
      .add("--output-heads", options.output_heads,
           "gat, gatv2, sagn, rgat: number of attention heads in the last layer, without "
           "--head-layers; their outputs are averaged")
      .range(1, 256);
  fields
      .add("--head-layers", options.head_layers,
           "number of dense layers after the last convolution or, with sign, sagn and hoga, the "
           "first layer. auto: 1 with sign, sagn and hoga, else 0")
      .range(0, 16);
  fields
      .add(
          "--hops", options.hops,
          "sign, sagn, hoga: number of hops whose features a node is classified by; sagn, hoga: at "
          "least 1")
      .range(0, 16);
  fields.add(
      "--propagation", options.propagation, kHopOperatorNames,
      "sign, sagn, hoga: matrix that makes the features of the next hop. row: the mean over a "
      "node's neighbours. symmetric: the normalised matrix of gcn, with a node's own features. "
      "ppr: 0.9 "
      "of that matrix and 0.1 of the features, as personalised PageRank");
}

}  // namespace

void describe_network(const OptionFields& fields, GnnOptions& options) {
  describe_layers(fields, options);
  fields.add(
      "--activation", options.activation, kActivationNames,
      "activation function; hgt: after its first map only. auto: elu with gat, gatv2 and rgat, "
      "leaky-relu with sage-ri, else relu");
  fields
      .add("--dropout", options.dropout,
           "probability of dropping a unit in training (after each layer but the last; hgt: after "
           "each layer of attention); hoga: in "
           "the rows of hops instead of after its first layer; gin with --head-layers: only after "
           "the layers of the head")
      .range(0.0, 0.99);
  fields
      .add("--input-dropout", options.input_dropout,
           "probability of dropping an input feature in training")
      .range(0.0, 0.99);
  fields
      .add("--attention-dropout", options.attention_dropout,
           "gat, gatv2, sagn, hoga, rgat, hgt: probability of dropping an attention weight in "
           "training")
      .range(0.0, 0.99);
  fields.add(
      "--norm", options.norm, kNormNames,
      "normalisation after each layer but the last; gin: inside its convolutions; sage-ri: after "
      "its convolutions; hoga: after dense layers, as its attention has a layer norm. batch: of a "
      "unit, over the nodes of the mini-batch. layer: of a node, over its units");
  fields.add("--residual", options.residual,
             "add a trained linear map of a node's own row to the result of each convolution; gin: "
             "inside its convolutions");
  fields.add("--jumping", options.jumping, kJumpingNames,
             "what the dense layers of --head-layers read. none: the outputs of the last "
             "convolution. sum: the sum of the outputs of all convolutions. concat: these outputs "
             "side by side");
  fields.add("--bias,!--no-bias", options.bias,
             "give convolutions a bias; hoga: without one for each hop, the order of hops has no "
             "effect");
  fields.add("--train-epsilon", options.train_epsilon,
             "gin: train epsilon, the weight of a node's own row");
}

}  // namespace frugal::gnn
