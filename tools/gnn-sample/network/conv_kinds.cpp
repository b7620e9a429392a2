#include "tools/gnn-sample/network/conv_kinds.h"

#include <algorithm>
#include <set>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "tools/gnn-sample/layers/dense_conv.h"
#include "tools/gnn-sample/layers/gat_conv.h"
#include "tools/gnn-sample/layers/gatv2_conv.h"
#include "tools/gnn-sample/layers/gine_conv.h"
#include "tools/gnn-sample/layers/hoga_conv.h"
#include "tools/gnn-sample/layers/sage_conv.h"
#include "tools/gnn-sample/layers/sagn_conv.h"
#include "tools/gnn-sample/layers/sum_conv.h"
#include "tools/gnn-sample/sampler/draw_shares.h"

namespace frugal::gnn {
namespace {

std::unique_ptr<Conv> make_sage(const GnnOptions& o, const ConvShape& shape) {
  return std::make_unique<SageConv>(shape.in, shape.out, o.aggregate, o.bias, o.precision);
}

std::unique_ptr<Conv> make_gcn(const GnnOptions& o, const ConvShape& shape) {
  return std::make_unique<GcnConv>(shape.in, shape.out, o.bias, o.precision);
}

GatShape attention_shape(const GnnOptions& o, const ConvShape& shape) {
  return {
      .in = shape.in,
      .out = shape.out,
      .heads = shape.last ? o.output_heads : o.heads,
      .concatenate = !shape.last,
      .bias = o.bias,
      .attention_dropout = o.attention_dropout,
      .precision = o.precision,
  };
}

std::unique_ptr<Conv> make_gat(const GnnOptions& o, const ConvShape& shape) {
  return std::make_unique<GatConv>(attention_shape(o, shape));
}

std::unique_ptr<Conv> make_gatv2(const GnnOptions& o, const ConvShape& shape) {
  return std::make_unique<GatV2Conv>(attention_shape(o, shape));
}

std::unique_ptr<Conv> make_gin(const GnnOptions& o, const ConvShape& shape) {
  return std::make_unique<GinConv>(shape.in, shape.out, o.bias, o.train_epsilon, o.precision);
}

std::unique_ptr<Conv> make_gine(const GnnOptions& o, const ConvShape& shape) {
  const GineConv::Size size = {shape.in, shape.out, std::max<std::size_t>(o.edge_dim, 1)};
  return std::make_unique<GineConv>(size, o.bias, o.train_epsilon, o.precision);
}

std::unique_ptr<Conv> make_sign(const GnnOptions& o, const ConvShape& shape) {
  return std::make_unique<DenseConv>(shape.in, shape.out, o.bias, o.precision);
}

std::unique_ptr<Conv> make_sagn(const GnnOptions& o, const ConvShape& shape) {
  return std::make_unique<SagnConv>(attention_shape(o, shape), o.hops + 1);
}

std::unique_ptr<Conv> make_hoga(const GnnOptions& o, const ConvShape& shape) {
  const HogaConv::Units units = {o.activation, o.dropout};
  return std::make_unique<HogaConv>(attention_shape(o, shape), o.hops + 1, units);
}

/// sage: Hamilton, Ying, Leskovec, NIPS 2017. gcn: Kipf, Welling, ICLR 2017. gat: Velickovic et
/// al., ICLR 2018. gatv2: Brody, Alon, Yahav, ICLR 2022. gin: Xu, Hu, Leskovec, Jegelka, ICLR 2019.
/// gine: Hu et al., ICLR 2020. sage-ri: Kaler et al., MLSys 2022. sign: Frasca et al., arXiv
/// 2004.11198. sagn: Sun, Gu, Hu, arXiv 2104.09376. hoga: Deng et al., DAC 2024. rgcn:
/// Schlichtkrull et al., ESWC 2018. rgat: Busbridge et al., arXiv 1904.05811. hgt: Hu, Dong, Wang,
/// Sun, WWW 2020.
constexpr ConvKind kConvs[] = {
    {.name = "sage",
     .description = "GraphSAGE",
     .make = make_sage,
     .options = {"--aggregate"},
     .reads_weights = true,
     .rows_per_node = 1},
    {.name = "gcn",
     .description = "graph convolutional network",
     .make = make_gcn,
     .reads_degrees = true,
     .reads_weights = true,
     .weighs_edges = true},
    {.name = "gat",
     .description = "graph attention network",
     .make = make_gat,
     .options = {"--heads", "--output-heads", "--attention-dropout"},
     .activation = ActivationKind::elu,
     .copies_edges = true,
     .weighs_edges = true},
    {.name = "gatv2",
     .description = "graph attention network whose ranking of neighbours depends on the node",
     .make = make_gatv2,
     .options = {"--heads", "--output-heads", "--attention-dropout"},
     .activation = ActivationKind::elu,
     .rows_per_node = 3,
     .copies_edges = true,
     .weighs_edges = true},
    {.name = "gin",
     .description = "graph isomorphism network",
     .make = make_gin,
     .options = {"--train-epsilon"},
     .reads_weights = true,
     .sums = true,
     .has_mlp = true},
    {.name = "gine",
     .description = "graph isomorphism network that reads features of edges",
     .make = make_gine,
     .options = {"--train-epsilon"},
     .reads_edge_features = true,
     .has_mlp = true},
    {.name = "sage-ri",
     .description = "GraphSAGE with residual connections, whose output layer reads all layers",
     .make = make_sage,
     .activation = ActivationKind::leaky_relu,
     .reads_weights = true,
     .joins_blocks = true,
     .rows_per_node = 3},
    {.name = "sign",
     .description = "dense layers that read features of --hops, which are computed once, without "
                    "sampling",
     .make = make_sign,
     .options = {"--hops", "--propagation"},
     .reads_weights = true,
     .reads_hops = true,
     .rows_per_node = 1},
    {.name = "sagn",
     .description = "attention over the features of --hops, and dense layers",
     .make = make_sagn,
     .options = {"--hops", "--propagation", "--heads", "--output-heads", "--attention-dropout"},
     .reads_weights = true,
     .reads_hops = true,
     .weighs_hops = true,
     .stores_hops = true,
     .splits_features = true},
    {.name = "hoga",
     .description = "gated self-attention among the features of --hops, and dense layers",
     .make = make_hoga,
     .options = {"--hops", "--propagation", "--heads", "--attention-dropout"},
     .reads_weights = true,
     .reads_hops = true,
     .weighs_hops = true,
     .activates_hops = true,
     .rows_per_node = 1,
     .splits_features = true},
    {.name = "rgcn",
     .description = "relational graph convolutional network, for graphs of several types",
     .make = nullptr,
     .reads_weights = true,
     .typed = true},
    {.name = "rgat",
     .description = "relational graph attention network, for graphs of several types",
     .make = nullptr,
     .options = {"--heads", "--output-heads", "--attention-dropout"},
     .activation = ActivationKind::elu,
     .typed = true},
    {.name = "hgt",
     .description = "heterogeneous graph transformer, for graphs of several types",
     .make = nullptr,
     .options = {"--heads", "--attention-dropout"},
     .typed = true,
     .rows_per_node = 8},
};

}  // namespace

bool ConvKind::has_option(std::string_view option) const {
  return std::find(options.begin(), options.end(), option) != options.end();
}

std::span<const ConvKind> conv_kinds() { return kConvs; }

const ConvKind& conv_kind(std::string_view name) {
  for (const ConvKind& kind : kConvs) {
    if (kind.name == name) return kind;
  }
  fail(ExitStatus::internal, "no architecture '", name, "'");
}

namespace {

/// The kinds for which `has` is true: "--architecture gcn or gin".
template <class Has>
std::string kinds_with(const Has& has) {
  Names kinds;
  for (const ConvKind& kind : kConvs) {
    if (has(kind)) kinds.emplace_back(kind.name);
  }
  return "--architecture " + joined(kinds, "or");
}

}  // namespace

std::string typed_kinds(const std::string& conjunction) {
  Names kinds;
  for (const ConvKind& kind : kConvs) {
    if (kind.typed) kinds.emplace_back(kind.name);
  }
  return joined(kinds, conjunction);
}

void add_kind_conditions(const OptionFields& fields, const GnnOptions& options,
                         const bool* open_head_layers) {
  std::set<std::string> special;
  for (const ConvKind& kind : kConvs) special.insert(kind.options.begin(), kind.options.end());
  special.erase("");
  for (const std::string& option : special) {
    const auto has = [option](const ConvKind& kind) { return kind.has_option(option); };
    fields.field(option).goes_with(kinds_with(has),
                                   [&options, has] { return has(conv_kind(options.kind)); });
  }
  const std::string typed = typed_kinds("and");
  fields.field("--head-layers").goes_with("models but sage-ri, " + typed, [&options] {
    const ConvKind& kind = conv_kind(options.kind);
    return !kind.joins_blocks && !kind.typed;
  });
  fields.go_with({"--residual", "--jumping"}, "models but sage-ri, sign, sagn, hoga, " + typed,
                 [&options] {
                   const ConvKind& kind = conv_kind(options.kind);
                   return !kind.joins_blocks && !kind.reads_hops && !kind.typed;
                 });
  fields.field("--input-dropout").goes_with("models other than " + typed, [&options] {
    return !conv_kind(options.kind).typed;
  });
  fields.field("--norm").goes_with(
      "--architecture " + typed_kinds("or") + " as none or layer only",
      [&options] { return !conv_kind(options.kind).typed || options.norm != NormKind::batch; });
  fields.field("--hops").goes_with(
      "values of at least 1 with --architecture sagn and hoga",
      [&options] { return options.hops > 0 || !conv_kind(options.kind).weighs_hops; });
  const auto head_layers = [&options, open_head_layers]() -> std::size_t {
    const bool open = open_head_layers != nullptr && *open_head_layers;
    return open ? conv_kind(options.kind).reads_hops : options.head_layers;
  };
  const auto has_head = [head_layers] { return head_layers() > 0; };
  fields.field("--head-layers")
      .goes_with("values of at least 1 with --architecture hoga", [&options, has_head] {
        return has_head() || !conv_kind(options.kind).activates_hops;
      });
  fields.field("--norm").goes_with(
      "--head-layers of at least 2 in --architecture hoga", [&options, head_layers] {
        return options.norm == NormKind::none || !conv_kind(options.kind).activates_hops ||
               head_layers() > 1;
      });
  fields.field("--output-heads")
      .goes_with("--head-layers 0 (with them all layers have --heads)",
                 [has_head] { return !has_head(); });
  fields.field("--heads").goes_with(
      "--head-layers (sagn without them has --output-heads)",
      [&options, has_head] { return has_head() || !conv_kind(options.kind).reads_hops; });
  fields.go_with({"--jumping"}, "--head-layers", [&options] { return options.head_layers > 0; });
}

void describe_edge_weights(const OptionFields& fields, GnnOptions& options) {
  const auto has = [](const ConvKind& kind) { return kind.reads_weights; };
  fields
      .add("--edge-weights", options.edge_weights,
           "give the weights of edges to the layers, as edge_weight in PyG. gcn: its normalised "
           "matrix is made of them; weights of drawn neighbours are scaled up to the sum of all. "
           "sage, sage-ri, rgcn: weighted mean. gin: weighted sum. sign, sagn, hoga: weighted "
           "matrix")
      .goes_with(kinds_with(has), [&options, has] { return has(conv_kind(options.kind)); })
      .goes_with("--aggregate mean",
                 [&options] { return options.aggregate == SageAggregate::mean; });
}

void describe_weighted_draws(const OptionFields& fields, GnnOptions& options) {
  fields.add("weighted-fanouts", options.weighted_fanouts)
      .checked("lists of fanouts", [](const std::string& text) {
        return parse_fanouts_of_relations(text).has_value();
      });
  fields.add("weighted-repeats", options.weighted_repeats);
}

bool can_weigh_draws(const GnnOptions& options) {
  const ConvKind& kind = conv_kind(options.kind);
  return kind.reads_weights && !kind.reads_hops && options.aggregate == SageAggregate::mean;
}

bool weighs_draws(const GnnOptions& options) {
  return !options.weighted_fanouts.empty() && can_weigh_draws(options);
}

bool wants_edge_features(const GnnOptions& options) {
  return conv_kind(options.kind).reads_edge_features;
}

bool wants_block_weights(const GnnOptions& options) {
  return options.edge_weights && !conv_kind(options.kind).reads_hops;
}

}  // namespace frugal::gnn
