#pragma once
/// Embedding layers on the device (tgn-train's embedding_layer.h).
#include <memory>
#include <string>

#include "libcore/device/cuda/engines/tgn/tgn_updater.h"
#include "libcore/device/cuda/kernels/graph/neighbor_attention.h"
#include "libcore/device/cuda/kernels/graph/query_rows.h"

namespace frugal::cuda {

/// A layer's view of a step.
struct TgnLayerCall {
  const TgnStep& step;
  std::uint32_t layer;
  const float* below;      ///< [rows below, dim]
  const DeviceTime& time;  ///< of the network

  const PlanArrays::Layer& plan() const { return step.plan.layers[layer]; }
  /// group: null, or what makes the products of these rows later.
  RowRange queries(ProductGroup* group = nullptr) const { return step.queries(layer, group); }
  RowRange neighbors() const {
    return {nullptr, step.plan.counts->neighbors + layer, step.room.neighbors[layer]};
  }
};

class TgnLayer {
 public:
  virtual ~TgnLayer() = default;
  virtual void lay_out(Workspace& room, const PlanSizes& sizes) = 0;
  /// Adds the encodings of times that forward() reads.
  virtual void begin(const TgnLayerCall&, StepBeginning&) const {}
  /// out [queries, dim].
  virtual void forward(const TgnLayerCall& call, float* out) = 0;
  /// dout [queries, dim] may be overwritten; dbelow [rows with lists, dim] is written.
  virtual void backward(const TgnLayerCall& call, float* dout, float* dbelow) = 0;
  virtual void take_step(const StepValues* values, StepList& list) const = 0;
};

/// Sources of gradients of the network's time encodings that a layer is: neighbours, then now.
inline constexpr std::uint32_t kTimeSourcesOfLayer = 2;

/// Of the setting "embedding"; fails on another name.
std::unique_ptr<TgnLayer> make_tgn_layer(const std::string& embedding, const TgnParts& parts,
                                         std::uint32_t layer);
std::unique_ptr<TgnLayer> make_attention_layer(const TgnParts& parts, std::uint32_t layer);
std::unique_ptr<TgnLayer> make_transformer_layer(const TgnParts& parts);

/// own [queries, dim] = the queries' own rows below. constant: a row that others get, too.
void gather_own_rows(const TgnLayerCall& call, std::uint32_t dim, const RowsOut& own,
                     const ConstantRow& constant = {});
/// What is known of the neighbours; times: [neighbours, time_dim].
NeighborRows neighbors_of(const TgnLayerCall& call, const TgnShape& shape, const float* times);
/// Inputs of the gradients of neighbours; rows.heads is 0 where there are none. dtimes:
/// [neighbours, time_dim], or null.
struct NeighborGradients {
  NeighborRows neighbors;
  AttentionRows rows;
  AttentionGradients gradients;
  float* dtimes;
};
/// dbelow = the gradients of neighbours and of own rows, list by list; and dtimes.
void add_to_below(const TgnLayerCall& call, std::uint32_t dim, const NeighborGradients& neighbors,
                  const RowsIn& of_queries, float* dbelow);

}  // namespace frugal::cuda
