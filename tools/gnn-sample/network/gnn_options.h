#pragma once
#include <array>
#include <cstddef>
#include <string_view>

#include "libcore/kernels/gemm.h"
#include "libcore/options/option_fields.h"

namespace frugal::gnn {

/// sage: Hamilton, Ying, Leskovec, NIPS 2017. gcn: Kipf, Welling, ICLR 2017. gat: Velickovic et
/// al., ICLR 2018. gin: Xu, Hu, Leskovec, Jegelka, ICLR 2019. sage_ri: GraphSAGE with residual
/// connections whose layers' outputs are all read at the end (Kaler et al., MLSys 2022).
enum class GnnKind { sage, gcn, gat, gin, sage_ri };

inline constexpr std::array<std::string_view, 5> kGnnKindNames = {"sage", "gcn", "gat", "gin",
                                                                  "sage-ri"};

std::string_view gnn_kind_name(GnnKind kind);

enum class SageAggregate { mean, max };
enum class ActivationKind { relu, leaky_relu, elu };
inline constexpr std::array<std::string_view, 2> kSageAggregateNames = {"mean", "max"};
inline constexpr std::array<std::string_view, 3> kActivationNames = {"relu", "leaky-relu", "elu"};

struct GnnOptions {
  GnnKind kind = GnnKind::sage;
  std::size_t num_layers = 3;  ///< as many as a mini-batch has blocks
  std::size_t hidden = 256;    ///< outputs of each layer but the last; gat: of each head
  SageAggregate aggregate = SageAggregate::mean;
  std::size_t heads = 1;         ///< gat: of each layer but the last, side by side
  std::size_t output_heads = 1;  ///< gat: of the last layer, whose mean is taken
  std::size_t head_layers = 0;   ///< dense layers behind the last convolution
  ActivationKind activation = ActivationKind::relu;
  float dropout = 0.5F;         ///< of the outputs of each layer but the last
  float input_dropout = 0;      ///< of the features
  float attention_dropout = 0;  ///< gat: of the edges' weights
  bool batch_norm = false;      ///< behind each layer but the last
  bool bias = true;
  bool train_epsilon = false;            ///< gin
  float weight_decay = 0;                ///< as in Adam with L2 regularisation
  bool decay_first_only = false;         ///< of the first layer only, as the GCN's authors do
  Precision precision = Precision::f32;  ///< of products; no part of a file
};

/// What a user may say of a network and its model's file keeps.
void describe_network(const OptionFields& fields, GnnOptions& options);

}  // namespace frugal::gnn
