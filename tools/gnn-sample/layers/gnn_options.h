#pragma once
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "libcore/kernels/gemm.h"
#include "libcore/options/option_fields.h"

namespace frugal::gnn {

enum class SageAggregate { mean, max };
enum class ActivationKind { relu, leaky_relu, elu };
enum class NormKind { none, batch, layer };
/// How the dense layers after the convolutions read the outputs of all of them: not at all but the
/// last one's, their sum, or side by side.
enum class Jumping { none, sum, concat };
/// Matrix that takes features to the next hop: means over neighbours, GCN's, or nine tenths of
/// GCN's and a tenth of the features (personalised PageRank).
enum class HopOperator { row, symmetric, ppr };
inline constexpr std::array<std::string_view, 2> kSageAggregateNames = {"mean", "max"};
inline constexpr std::array<std::string_view, 3> kActivationNames = {"relu", "leaky-relu", "elu"};
inline constexpr std::array<std::string_view, 3> kNormNames = {"none", "batch", "layer"};
inline constexpr std::array<std::string_view, 3> kJumpingNames = {"none", "sum", "concat"};
inline constexpr std::array<std::string_view, 3> kHopOperatorNames = {"row", "symmetric", "ppr"};

struct GnnOptions {
  std::string kind = "sage";   ///< architecture, a name of conv_kinds()
  std::size_t num_layers = 3;  ///< equal to the number of blocks of a mini-batch
  /// Outputs of each layer except the last; gat, gatv2, sagn, hoga, rgat, hgt: of a head.
  std::size_t hidden = 256;
  SageAggregate aggregate = SageAggregate::mean;
  /// gat, gatv2, sagn, hoga, rgat, hgt: heads of each layer except the model's last, concatenated.
  std::size_t heads = 1;
  std::size_t output_heads = 1;  ///< gat, gatv2, sagn, rgat: heads of that layer, averaged
  std::size_t head_layers = 0;   ///< dense layers after the last convolution
  ActivationKind activation = ActivationKind::relu;
  float dropout = 0.5F;            ///< of the outputs of each layer except the last
  float input_dropout = 0;         ///< of the features
  float attention_dropout = 0;     ///< kinds with --heads: of the attention weights
  NormKind norm = NormKind::none;  ///< after each layer except the last
  bool residual = false;           ///< adds a linear map of a node's own row to each convolution
  Jumping jumping = Jumping::none;
  std::size_t hops = 3;  ///< sign, sagn, hoga: propagations of the features
  HopOperator propagation = HopOperator::row;
  bool bias = true;
  bool train_epsilon = false;  ///< gin: epsilon is trained
  bool edge_weights = false;   ///< layers read the weights of edges
  /// Fanouts of a training that drew neighbours by the weights of edges, one list for each relation
  /// (fanouts_of_relations_text()); "" if it drew them in another way.
  std::string weighted_fanouts;
  bool weighted_repeats = false;  ///< such a training drew with replacement
  std::size_t edge_dim = 0;       ///< gine: features of an edge, of the data; else 0
  float weight_decay = 0;         ///< L2 regularisation added to the gradient, as in Adam
  bool decay_first_only = false;  ///< weight decay of the first layer only, as by GCN's authors
  Precision precision = Precision::f32;  ///< of products; not stored in files
};

/// Describes the options of a network, which the command line sets and the model file stores.
void describe_network(const OptionFields& fields, GnnOptions& options);

}  // namespace frugal::gnn
