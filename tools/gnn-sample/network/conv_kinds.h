#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tools/gnn-sample/layers/conv.h"
#include "tools/gnn-sample/layers/gnn_options.h"

namespace frugal::gnn {

/// Place of a convolution in its network.
struct ConvShape {
  std::size_t in = 0, out = 0;  ///< numbers of a row
  bool last = false;            ///< computes the model's outputs
};

/// Kind of network, by its convolutions. A new one is a Conv and a row of the table: options, help,
/// files and conditions follow. Devices have engines for the kinds that they know.
struct ConvKind {
  std::string_view name;
  std::string_view description;
  std::unique_ptr<Conv> (*make)(const GnnOptions& options, const ConvShape& shape);
  /// Options that go with it, and not with each kind.
  std::array<std::string_view, 5> options = {};
  ActivationKind activation = ActivationKind::relu;  ///< of --activation auto
  bool reads_degrees = false;                        ///< ConvInput::degrees
  bool reads_weights = false;                        ///< can read Block::weights
  bool sums = false;                                 ///< neighbours are added, not averaged
  bool reads_edge_features = false;                  ///< Block::edge_features
  /// The convolution has --hidden outputs, and a dense layer of its own makes the layer's of them;
  /// batch norm is between the two.
  bool has_mlp = false;
  /// The only layer of message passing is done before: features become those of hops
  /// (make_hop_features()), and the graph has no edges.
  bool reads_hops = false;
  /// Attention over hops, of which there must be at least one.
  bool weighs_hops = false;
  /// The convolution applies a layer norm, activation and dropout itself, to the rows of hops. At
  /// least one dense layer follows it.
  bool activates_hops = false;
  /// Layers have shortcuts, and the model's last two dense layers read the features and the outputs
  /// of all layers.
  bool joins_blocks = false;
  /// For graphs of several types of nodes, which no other kind is for; `make` is null (TypedModel).
  bool typed = false;
  /// Rows of outputs and of intermediate results that exact inference stores for a node and layer.
  std::uint64_t rows_per_node = 2;
  /// It also stores, for an edge and layer, a copy of the neighbour, or a weight of each head.
  bool copies_edges = false, weighs_edges = false;
  /// It also stores rows and weights for each hop of a node.
  bool stores_hops = false;
  /// It also stores sparse features again, divided into hops.
  bool splits_features = false;

  bool has_option(std::string_view option) const;
  /// Hops of a node for which exact inference stores rows.
  std::uint64_t stored_hops(const GnnOptions& options) const {
    return stores_hops ? options.hops + 1 : 0;
  }
};

std::span<const ConvKind> conv_kinds();
/// The row of a name, which must be in the table.
const ConvKind& conv_kind(std::string_view name);
/// The names of the kinds for graphs of several types, as a list: "rgcn, rgat or hgt".
std::string typed_kinds(const std::string& conjunction);

/// Adds the condition of each option that goes with some kinds only. open_head_layers: true while
/// the number of dense layers is left to the kind; null: never.
void add_kind_conditions(const OptionFields& fields, const GnnOptions& options,
                         const bool* open_head_layers = nullptr);

/// Describes --edge-weights with its conditions. Model files store it only if it is given.
void describe_edge_weights(const OptionFields& fields, GnnOptions& options);
/// The metadata of a model file that reads the weights of edges; other models have none.
inline constexpr char kWeightsKey[] = "gnn.edge_weights";
/// Describes how neighbours were drawn by weight in training. Only files of such models have it.
void describe_weighted_draws(const OptionFields& fields, GnnOptions& options);
inline constexpr char kWeightedDrawsKey[] = "gnn.weighted_fanouts";
/// True if layers can weigh neighbours in exact inference as draws by weight do (draw_shares()).
bool can_weigh_draws(const GnnOptions& options);
/// True if exact inference of the model does so, as training drew neighbours by weight.
bool weighs_draws(const GnnOptions& options);
/// True if blocks of the model must have features of edges.
bool wants_edge_features(const GnnOptions& options);
/// True if blocks of the model must have weights of edges. A model that reads hops needs none:
/// their features are computed by the weights.
bool wants_block_weights(const GnnOptions& options);

}  // namespace frugal::gnn
