#pragma once
/// Embedding layers on the device (tgn-train's embedding_layer.h).
#include <memory>
#include <string>

#include "libcore/device/cuda/engines/tgn/tgn_updater.h"
#include "libcore/device/cuda/kernels/graph/neighbor_attention.h"
#include "libcore/device/cuda/kernels/graph/query_rows.h"

namespace frugal::cuda {

/// Arguments of one layer in a step.
struct TgnLayerCall {
  const TgnStep& step;
  std::uint32_t layer;
  const float* below;      ///< [rows below, dim]
  const DeviceTime& time;  ///< time encoder of the network

  const PlanArrays::Layer& plan() const { return step.plan.layers[layer]; }
  /// group: collects the products of these rows for a later launch, or null.
  RowRange queries(ProductGroup* group = nullptr) const { return step.queries(layer, group); }
  RowRange neighbors() const {
    return {nullptr, step.plan.counts->neighbors + layer, step.room.neighbors[layer]};
  }
};

class TgnLayer {
 public:
  virtual ~TgnLayer() = default;
  virtual void lay_out(Workspace& room, const PlanSizes& sizes) = 0;
  /// Registers the time encodings that forward() reads.
  virtual void begin(const TgnLayerCall&, StepBeginning&) const {}
  /// out [queries, dim].
  virtual void forward(const TgnLayerCall& call, float* out) = 0;
  /// dout [queries, dim] may be overwritten. Writes dbelow [rows with lists, dim].
  virtual void backward(const TgnLayerCall& call, float* dout, float* dbelow) = 0;
  virtual void take_step(const StepValues* values, StepList& list) const = 0;
};

/// Gradient sources of the network's time encodings per layer: neighbours, then the present time.
inline constexpr std::uint32_t kTimeSourcesOfLayer = 2;

/// Makes the layer named by the setting "embedding". Fails on an unknown name.
std::unique_ptr<TgnLayer> make_tgn_layer(const std::string& embedding, const TgnParts& parts,
                                         std::uint32_t layer);
std::unique_ptr<TgnLayer> make_attention_layer(const TgnParts& parts, std::uint32_t layer);
std::unique_ptr<TgnLayer> make_transformer_layer(const TgnParts& parts);

/// Writes the queries' own rows below to own [queries, dim]. constant: a row that is also copied to
/// each query, to its own place.
void gather_own_rows(const TgnLayerCall& call, std::uint32_t dim, const RowsOut& own,
                     const ConstantRow& constant = {});
/// Neighbour rows of a layer for kernels. times: their time encodings [neighbours, time_dim].
NeighborRows neighbors_of(const TgnLayerCall& call, const TgnShape& shape, const float* times);
/// Inputs of the gradients of neighbours; rows.heads is 0 if there are no heads. dtimes:
/// [neighbours, time_dim], or null.
struct NeighborGradients {
  NeighborRows neighbors;
  AttentionRows rows;
  AttentionGradients gradients;
  float* dtimes;
};
/// Adds up the gradients of neighbours and own rows to dbelow, list by list, and computes dtimes.
void add_to_below(const TgnLayerCall& call, std::uint32_t dim, const NeighborGradients& neighbors,
                  const RowsIn& of_queries, float* dbelow);

}  // namespace frugal::cuda
