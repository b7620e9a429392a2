#pragma once
/// Message function and memory updater on the device (tgn-train's memory_updater.h).
#include <vector>

#include "libcore/device/cuda/engines/device_vector.h"
#include "libcore/device/cuda/engines/tgn/tgn_plan.h"
#include "libcore/device/cuda/kernels/graph/neighbor_attention.h"
#include "libcore/device/cuda/kernels/graph/node_memory.h"
#include "libcore/device/cuda/kernels/graph/recurrent.h"

namespace frugal::cuda {

/// Settings and memory that the network's parts are constructed with.
struct TgnParts {
  const TgnShape& shape;
  Products products;
  const RuleChoice* rule;  ///< optimiser; null: nothing is trained
  Room& room;
  NamedArrays& arrays;

  /// most: usual number of rows of a batch.
  LayerWeights layer(const std::string& name, const LayerShape& layer, Products of,
                     std::uint32_t most) const;
};

/// Plan, sizes and stream of one step.
struct TgnStep {
  const PlanArrays& plan;  ///< on the device
  const PlanSizes& room;   ///< largest number of rows, or padded numbers for a library
  StoredRows edges;
  const Keep keep;  ///< dropout of all layers; each layer has a separate key
  cudaStream_t stream;
  LateGradients* late;            ///< only in a training step
  const ProductLibrary* library;  ///< or null

  /// Queries of a layer. group: collects the products of these rows for a later launch, or null.
  RowRange queries(std::uint32_t layer, ProductGroup* group = nullptr) const {
    return rows(plan.counts->queries + layer, room.queries[layer], layer, group);
  }
  RowRange updates(ProductGroup* group = nullptr) const {
    return rows(&plan.counts->updates, room.updates, kMostTgnLayers, group);
  }
  /// Rows of which the last layer has `each` for every three of its queries.
  RowRange triples(std::uint32_t last_layer, const std::uint32_t* count, std::uint32_t each,
                   ProductGroup* group = nullptr) const {
    return rows(count, room.queries[last_layer] / 3 * each, last_layer, group);
  }

 private:
  RowRange rows(const std::uint32_t* count, std::uint32_t most, std::uint32_t bit,
                ProductGroup* group) const {
    const bool exact = (room.exact >> bit & 1) != 0;
    return {nullptr, count, most, exact ? library : nullptr, group};
  }
};

/// Number of rows up to which gradients are zero after the last row.
inline std::uint32_t zero_rows(const RowRange& rows) {
  return rows.library == nullptr ? 0 : rows.most;
}

class TgnUpdater {
 public:
  explicit TgnUpdater(const TgnParts& parts);
  void lay_out(Workspace& room, const PlanSizes& sizes, bool training);

  /// Computes the memory slots of the updates, in so many levels. kept: stored messages.
  void forward(const TgnStep& step, const DeviceTime& time, std::uint32_t levels, const float* kept,
               float* slots);
  /// Backward pass from dout [updates, dim]. time: time encoder that gets the gradient of the
  /// messages' encodings, or null.
  void backward(const TgnStep& step, const float* dout, const DeviceTime* time,
                std::uint32_t source);
  void take_step(const StepValues* values, StepList& list) const;

 private:
  std::uint32_t x_begin() const { return dim_ + 1; }
  std::uint32_t own_begin() const { return columns_ - dim_ - 1; }
  std::uint32_t raw_dim() const { return 2 * dim_ + edge_dim_ + time_dim_; }
  RowsOut inputs(std::uint32_t column) const { return {inputs_ + column, columns_}; }
  CellRows cell(const TgnStep& step, const RowRange& rows, float* slots) const;
  void add_sums(const LayerWeights& layer, const RowsIn& x, const RowRange& rows, float* sums,
                ProductGroup& group) const;
  void message_backward(const TgnStep& step);

  std::uint32_t dim_, edge_dim_, time_dim_, x_dim_, columns_;
  bool gru_, mlp_;
  bool to_bf16_;  ///< rounds new memory to bf16 as it is stored, if nothing is trained
  Products products_;
  std::uint64_t rows_ = 0;             ///< largest number of updates
  std::vector<LayerWeights> message_;  ///< first and second layer; none for identity
  std::vector<LayerWeights> cell_;     ///< gates; gru: candidate, hidden
  float *inputs_ = nullptr, *raw_ = nullptr, *message_hidden_ = nullptr;
  float *gates_ = nullptr, *nx_ = nullptr, *nh_ = nullptr, *made_ = nullptr;
  float *dinputs_ = nullptr, *dcandidates_ = nullptr;  ///< dcandidates_: of the candidates only
  float *dmessage_hidden_ = nullptr, *draw_ = nullptr;
};

}  // namespace frugal::cuda
