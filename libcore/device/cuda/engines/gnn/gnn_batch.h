#pragma once
/// A mini-batch of message flow on the device (engine_kinds.md), and room for what is made of it.
#include <cstdint>

#include "libcore/device/cuda/engines/engine.h"
#include "libcore/device/cuda/engines/workspace.h"
#include "libcore/device/cuda/kernels/graph/message_blocks.h"
#include "libcore/device/cuda/kernels/graph/node_losses.h"
#include "libcore/device/cuda/kernels/step_values.h"

namespace frugal::cuda {

inline constexpr std::uint32_t kMostBlocks = 16;

/// What the labels of a batch are.
enum class GnnLoss { classes, labels, links };

/// What batches of an engine have, whatever their sizes.
struct GnnBatchShape {
  explicit GnnBatchShape(const Settings& settings);

  std::uint32_t blocks, batch_size, classes;
  GnnLoss loss;
  bool degrees;             ///< of each node
  std::uint64_t row_bytes;  ///< features that come with the batch; 0: they lie elsewhere
};

/// How large a batch is, or the batches that there is room for. Blocks are in the order in which
/// they are computed, the seeds' last.
struct GnnSizes {
  std::uint32_t targets[kMostBlocks] = {}, sources[kMostBlocks] = {}, edges[kMostBlocks] = {};
  std::uint32_t pairs = 0;

  /// Of a batch; fails where its arrays do not go together.
  static GnnSizes of(const frugal_array* batch, std::size_t n, const GnnBatchShape& shape);
  /// Settings "targets", "sources", "edges": of the largest batches that are expected.
  static GnnSizes expected(const Settings& settings, const GnnBatchShape& shape);
  bool fits(const GnnSizes& room) const;
  /// Room for both, with some to spare.
  void grow(const GnnSizes& more);
};

/// The arrays of a batch in the host's memory or on the device.
struct GnnArrays {
  void lay_out(Workspace& room, const GnnSizes& sizes, const GnnBatchShape& shape);
  MessageBlock block(const GnnSizes& sizes, std::uint32_t k) const {
    return {sizes.targets[k], sizes.sources[k], sizes.edges[k], offsets[k], neighbors[k]};
  }

  StepValues* values;
  std::uint32_t *targets, *sources;  ///< [blocks] sizes, for kernels that read them there
  std::uint32_t *offsets[kMostBlocks], *neighbors[kMostBlocks];
  std::uint32_t *nodes, *degrees;                      ///< of the first block's sources
  char* rows;                                          ///< features of the same
  std::int32_t* labels;                                ///< [seeds]
  std::uint8_t* label_rows;                            ///< [seeds, classes]
  std::uint32_t *sides, *pair_offsets, *pair_entries;  ///< RowPairs
};

/// What the host knows of a batch besides its arrays.
struct GnnFacts {
  std::uint32_t links = 0;     ///< the first of the pairs
  std::uint32_t labelled = 0;  ///< seeds that have a class
};

/// Copies a batch of those sizes to places in the host's memory, but for the values of the step.
GnnFacts fill_gnn_batch(const frugal_array* batch, std::size_t n, const GnnBatchShape& shape,
                        const GnnSizes& sizes, GnnArrays& to);

}  // namespace frugal::cuda
