#pragma once
/// A step's plan on the device (tgn-train's step_plan.h, engine_kinds.md).
#include <cstdint>

#include "libcore/device/cuda/engines/engine.h"
#include "libcore/device/cuda/engines/workspace.h"
#include "libcore/device/cuda/kernels/step_values.h"

namespace frugal::cuda {

inline constexpr std::uint32_t kMostTgnLayers = 8;

/// Sizes of a temporal graph network that do not change.
struct TgnShape {
  explicit TgnShape(const Settings& settings);

  std::uint32_t nodes, events;
  std::uint32_t dim, time_dim, edge_dim, pair_dim, message_dim, kept_dim;
  std::uint32_t layers, heads, neighbors, batch_size;
  bool node_features, mlp, gru, memory, made, train_time, message_time, bf16_memory;
};

/// Rows of a plan, or those that there is room for.
struct PlanSizes {
  std::uint32_t slots = 0, loads = 0, updates = 0, levels = 0, stores = 0, messages = 0, pairs = 0;
  std::uint32_t later = 0;        ///< updates of the largest level but the first
  std::uint32_t given_loads = 0;  ///< without those of zeros
  std::uint32_t exact = 0;        ///< bits of layers, then of updates: see library_rows()
  std::uint32_t queries[kMostTgnLayers] = {}, neighbors[kMostTgnLayers] = {};
  std::uint32_t below[kMostTgnLayers] = {};  ///< rows that have lists of gradients
  std::uint32_t lists[kMostTgnLayers] = {};  ///< what is in these

  /// Of a batch; fails where its arrays do not go together.
  static PlanSizes of(const frugal_array* batch, std::size_t n, const TgnShape& shape);
  /// What the largest batches usually have.
  static PlanSizes expected(const TgnShape& shape);
  /// With the rows that a library makes products of; other sizes are those of `room`.
  PlanSizes padded(const PlanSizes& room) const;
  bool fits(const PlanSizes& room) const;
  /// Room for both, with some to spare.
  void grow(const PlanSizes& more);
};

/// What kernels read of a plan on the device.
struct PlanCounts {
  StepValues network, updater;
  std::uint32_t slots, loads, updates, stores, messages, pairs, events;
  std::uint32_t queries[kMostTgnLayers], neighbors[kMostTgnLayers], below[kMostTgnLayers];
  std::uint32_t keys[kMostTgnLayers];  ///< of dropout
};

/// The arrays of engine_kinds.md, in the host's memory or on the device.
struct PlanArrays {
  /// Places for as many rows.
  void lay_out(Workspace& room, const PlanSizes& sizes, const TgnShape& shape);

  PlanCounts* counts;
  std::uint32_t *slots, *loads, *updates, *levels, *stores, *messages;
  double *updates_dt, *messages_dt;
  float* pairs;
  struct Layer {
    std::uint32_t *queries, *offsets, *neighbors, *gradients_begin, *gradients_from;
    float* since;
    double* dt;
  } layers[kMostTgnLayers];
};

/// Copies a batch of those sizes to places in the host's memory, but for counts.network, updater
/// and keys. levels: as many as the step goes through, the last ones empty.
void fill_plan(const frugal_array* batch, std::size_t n, const TgnShape& shape,
               const PlanSizes& sizes, std::uint32_t levels, PlanArrays& to);

/// Rows from which on a product has more tiles than run at once on a GPU: a library is then faster
/// than a launch that several products share.
inline constexpr std::uint32_t kLibraryRows = 2048;
/// Rows that a step has for `rows` of its plan: of few sizes, so that few graphs serve all plans. A
/// library does not look at counts on the device, so gradients are zero in the rows behind those of
/// the plan. 0: no library makes their products.
std::uint32_t library_rows(std::uint32_t rows);

/// Levels of updates that a step goes through for a plan that has so many: few numbers, so that few
/// graphs serve all plans.
std::uint32_t level_class(std::uint32_t levels);

}  // namespace frugal::cuda
