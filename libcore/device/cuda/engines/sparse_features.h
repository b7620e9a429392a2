#pragma once
/// Feature rows of sparse-train's networks on the device: hidden units, and the rows' steps.
#include "libcore/device/cuda/engines/dense_layer.h"
#include "libcore/device/cuda/engines/engine.h"
#include "libcore/device/cuda/kernels/labels/sparse_features.h"
#include "libcore/device/cuda/sort_pages.h"

namespace frugal::cuda {

/// Array: "features.rows" [features, feature_stride], as in checkpoints.
class DeviceFeatures {
 public:
  /// settings: see engine_kinds.md.
  DeviceFeatures(const Settings& settings, bool training, Room& room, NamedArrays& arrays);

  /// Numbers of a row of hidden units: the units, a 1 for the bias of labels, and zeros.
  std::uint32_t width() const { return shape_.width; }
  const float* hidden() const { return hidden_.data(); }
  float* gradient() const { return gradient_.data(); }

  /// dropout: apply dropout, as in training.
  void forward(const SparseValues* values, const SparseExamples& x, bool dropout,
               cudaStream_t stream) const;
  /// Steps the rows with gradient(), the gradient of the hidden units of forward(). entries:
  /// [examples + 1], the first entry of each example.
  void step(const SparseValues* values, const SparseExamples& x, const std::uint32_t* entries,
            const Stream& stream) const;

 private:
  void take_training(const Settings& settings, Room& room);
  TableRows table() const { return {rows_.data(), stride_, shape_.units, 0}; }

  std::uint32_t most_, stride_;
  std::uint64_t features_ = 0;
  UnitShape shape_;
  UnitDropout dropout_{0, 1};
  bool by_example_ = false;  ///< rows are stepped for one example after another
  RuleChoice rule_;
  DeviceArray<float> rows_, hidden_, gradient_, squares_, weights_;
  // Entries of a batch, unsorted and sorted.
  DeviceArray<std::uint32_t> entry_rows_, places_, sorted_rows_, sorted_places_, owners_, heads_,
      count_;
  DeviceArray<std::uint8_t> sort_room_;
};

}  // namespace frugal::cuda
