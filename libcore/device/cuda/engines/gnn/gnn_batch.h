#pragma once
/// A mini-batch of message-flow blocks on the device (engine_kinds.md).
#include <cstdint>

#include "libcore/device/cuda/engines/engine.h"
#include "libcore/device/cuda/engines/workspace.h"
#include "libcore/device/cuda/kernels/graph/message_blocks.h"
#include "libcore/device/cuda/kernels/graph/node_losses.h"
#include "libcore/device/cuda/kernels/step_values.h"

namespace frugal::cuda {

inline constexpr std::uint32_t kMostBlocks = 16;

/// Kind of targets: one class per node, several labels per node, or links.
enum class GnnLoss { classes, labels, links };

/// Properties that all batches of an engine share, whatever their sizes.
struct GnnBatchShape {
  explicit GnnBatchShape(const Settings& settings);

  std::uint32_t blocks, batch_size, classes;
  GnnLoss loss;
  bool degrees;  ///< batches have the degree of each node
  /// Bytes of a node's features in the batch; 0: they are stored elsewhere.
  std::uint64_t row_bytes;
};

/// Sizes of a batch, or of the largest batch that there is room for. Blocks are in the order of
/// computation; the seeds' block is last.
struct GnnSizes {
  std::uint32_t targets[kMostBlocks] = {}, sources[kMostBlocks] = {}, edges[kMostBlocks] = {};
  std::uint32_t pairs = 0;

  /// Sizes of a batch. Fails if its arrays are inconsistent.
  static GnnSizes of(const frugal_array* batch, std::size_t n, const GnnBatchShape& shape);
  /// Expected sizes of the largest batches, from the settings "targets", "sources" and "edges".
  static GnnSizes expected(const Settings& settings, const GnnBatchShape& shape);
  bool fits(const GnnSizes& room) const;
  /// Makes each size at least that of `more`; a size that grows gets an eighth of spare room.
  void grow(const GnnSizes& more);
};

/// Arrays of a batch in host memory or on the device.
struct GnnArrays {
  void lay_out(Workspace& room, const GnnSizes& sizes, const GnnBatchShape& shape);
  MessageBlock block(const GnnSizes& sizes, std::uint32_t k) const {
    return {sizes.targets[k], sizes.sources[k], sizes.edges[k], offsets[k], neighbors[k]};
  }

  StepValues* values;
  std::uint32_t *targets, *sources;  ///< [blocks] sizes that kernels read on the device
  std::uint32_t *offsets[kMostBlocks], *neighbors[kMostBlocks];
  std::uint32_t *nodes, *degrees;                      ///< of the first block's sources
  char* rows;                                          ///< features of the first block's sources
  std::int32_t* labels;                                ///< [seeds]
  std::uint8_t* label_rows;                            ///< [seeds, classes]
  std::uint32_t *sides, *pair_offsets, *pair_entries;  ///< RowPairs
};

/// Counts of a batch that the host computes while filling it.
struct GnnFacts {
  std::uint32_t links = 0;     ///< positive pairs, which come first
  std::uint32_t labelled = 0;  ///< seeds with a class
};

/// Copies a batch of those sizes to arrays in host memory, except for the values of the step.
GnnFacts fill_gnn_batch(const frugal_array* batch, std::size_t n, const GnnBatchShape& shape,
                        const GnnSizes& sizes, GnnArrays& to);

}  // namespace frugal::cuda
