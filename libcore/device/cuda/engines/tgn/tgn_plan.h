#pragma once
/// Plan of a step on the device (tgn-train's step_plan.h, engine_kinds.md).
#include <cstdint>

#include "libcore/device/cuda/engines/engine.h"
#include "libcore/device/cuda/engines/workspace.h"
#include "libcore/device/cuda/kernels/step_values.h"

namespace frugal::cuda {

inline constexpr std::uint32_t kMostTgnLayers = 8;

/// Sizes of a temporal graph network that do not change from step to step.
struct TgnShape {
  explicit TgnShape(const Settings& settings);

  std::uint32_t nodes, events;
  std::uint32_t dim, time_dim, edge_dim, pair_dim, message_dim, kept_dim;
  std::uint32_t layers, heads, neighbors, batch_size;
  bool node_features, mlp, gru, memory, made, train_time, message_time, bf16_memory;
};

/// Sizes of a plan, or of the largest plan that there is room for.
struct PlanSizes {
  std::uint32_t slots = 0, loads = 0, updates = 0, levels = 0, stores = 0, messages = 0, pairs = 0;
  std::uint32_t later = 0;        ///< largest number of updates of a level after the first
  std::uint32_t given_loads = 0;  ///< loads without those of zeros
  /// Bits of layers, then one of updates, whose products a library makes: library_rows().
  std::uint32_t exact = 0;
  std::uint32_t queries[kMostTgnLayers] = {}, neighbors[kMostTgnLayers] = {};
  std::uint32_t below[kMostTgnLayers] = {};  ///< rows that have lists of gradients
  std::uint32_t lists[kMostTgnLayers] = {};  ///< total length of these lists

  /// Sizes of a batch's plan. Fails if its arrays are inconsistent.
  static PlanSizes of(const frugal_array* batch, std::size_t n, const TgnShape& shape);
  /// Usual sizes of the largest plans.
  static PlanSizes expected(const TgnShape& shape);
  /// Sizes whose rows are padded where a library makes the products; the others are those of
  /// `room`.
  PlanSizes padded(const PlanSizes& room) const;
  bool fits(const PlanSizes& room) const;
  /// Makes each size at least that of `more`; a size that grows gets a quarter of spare room.
  void grow(const PlanSizes& more);
};

/// Counts and step values of a plan that kernels read on the device.
struct PlanCounts {
  StepValues network, updater;
  std::uint32_t slots, loads, updates, stores, messages, pairs, events;
  std::uint32_t queries[kMostTgnLayers], neighbors[kMostTgnLayers], below[kMostTgnLayers];
  std::uint32_t keys[kMostTgnLayers];  ///< keys of dropout
};

/// Arrays of a plan (engine_kinds.md), in host memory or on the device.
struct PlanArrays {
  /// Places arrays of those sizes.
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

/// Copies a plan of those sizes to arrays in host memory, except for counts.network, counts.updater
/// and keys. levels: number of levels that the step runs; the last ones may be empty.
void fill_plan(const frugal_array* batch, std::size_t n, const TgnShape& shape,
               const PlanSizes& sizes, std::uint32_t levels, PlanArrays& to);

/// Smallest number of rows for which a library is used: a product then has more tiles than a GPU
/// runs at once, so that it is faster than a launch shared by several products.
inline constexpr std::uint32_t kLibraryRows = 2048;
/// Number of rows to which `rows` are padded for a library; 0: no library. There are few such
/// numbers, so that few graphs serve all plans. A library does not read counts on the device, so
/// gradients must be zero in the padding.
std::uint32_t library_rows(std::uint32_t rows);

/// Number of update levels that a step runs for a plan with `levels` of them. There are few such
/// numbers, so that few graphs serve all plans.
std::uint32_t level_class(std::uint32_t levels);

}  // namespace frugal::cuda
