#pragma once
/// Features of nodes. They are on the device, on the device in an embedding's array, in pinned host
/// memory that kernels read, or part of each batch.
#include <memory>

#include "libcore/device/cuda/engines/engine.h"
#include "libcore/device/cuda/engines/gnn/gnn_batch.h"
#include "libcore/device/cuda/engines/robe_embedding.h"
#include "libcore/device/cuda/kernels/feature_rows.h"

namespace frugal::cuda {

/// Arrays: "features" in their number type, f16 as bytes; i8: "features.scales" [rows]; sparse:
/// "features.offsets" [rows + 1] and "features.columns". Or those of DeviceEmbedding.
class GnnFeatures {
 public:
  /// nodes: expected number in the largest batches.
  GnnFeatures(const Settings& settings, std::uint32_t nodes, Room& room, NamedArrays& arrays);
  std::uint32_t dim() const { return dim_; }
  /// Writes the features of the first block's sources to out [nodes, dim], with dropout.
  void gather(const GnnArrays& batch, std::uint32_t nodes, const RowDropout& dropout, float* out,
              const Stream& stream) const;

 private:
  void take(const Settings& settings, Room& room, NamedArrays& arrays);
  void expand(const std::uint32_t* nodes, std::uint32_t count, const RowDropout& dropout,
              float* out, const Stream& stream) const;

  std::uint32_t dim_;
  FeatureType type_;
  bool with_batch_ = false, sparse_ = false, has_values_ = true;
  DeviceArray<char> device_;
  PinnedArray<char> pinned_;
  DeviceArray<float> scales_;
  DeviceArray<std::uint64_t> offsets_;
  DeviceArray<std::uint32_t> columns_;
  std::uint32_t expanded_ = 0;         ///< rows that are looked up at a time
  DeviceArray<StepValues> looked_up_;  ///< its number of samples
  std::unique_ptr<DeviceEmbedding> array_;
};

}  // namespace frugal::cuda
