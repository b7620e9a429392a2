#pragma once
/// Embedding tables in one array on the device: BlockEmbedding and FullEmbedding of
/// libcore/embedding.
#include <string>

#include "libcore/device/cuda/engines/dense_layer.h"
#include "libcore/device/cuda/engines/engine.h"
#include "libcore/device/cuda/kernels/block_places.h"
#include "libcore/device/cuda/sort_pages.h"

namespace frugal::cuda {

/// Arrays as in checkpoints: "embedding.array" [size] (int4: two numbers per byte),
/// "embedding.array.scale", "embedding.state.first" and "embedding.state.second" [size], and, when
/// training for int4, "embedding.state.scales". Constants: "embedding.first_row" [fields],
/// "embedding.hash" [copies, kHashNumbers], and for hot rows "embedding.hot.runs" [fields, 3], or
/// "embedding.hot.keys" and "embedding.hot.numbers".
class DeviceEmbedding {
 public:
  DeviceEmbedding(const Settings& settings, std::uint32_t most, const StepValues* values,
                  bool training, Room& room, NamedArrays& arrays);

  /// Looks up rows [samples, fields] and writes output().
  void forward(const std::uint32_t* rows, cudaStream_t stream);
  const float* output() const { return output_.data(); }
  /// Gradient of output(), [samples, fields, dim]; fill it before step().
  float* output_gradient() const { return gradient_.data(); }
  /// Renews the scales when training for int4.
  void refresh(cudaStream_t stream);
  /// Steps the numbers. Call it after forward() with the same rows.
  void step(const std::uint32_t* rows, cudaStream_t stream);

 private:
  void take_places(const Settings& settings, Room& room, NamedArrays& arrays);
  void take_numbers(Room& room, NamedArrays& arrays);
  void take_training(const Settings& settings, Room& room, NamedArrays& arrays);
  TablePlaces places() const;

  std::uint32_t most_;
  const StepValues* values_;
  std::string storage_;
  bool for_int4_ = false;  ///< training for int4
  TablePlaces shape_{};    ///< pointers are not set
  RuleChoice rule_;
  DeviceArray<std::uint64_t> first_row_, hashes_, hot_keys_, starts_;
  DeviceArray<std::uint32_t> hot_runs_, hot_numbers_;
  // Only one of the following arrays is used.
  DeviceArray<float> floats_;
  DeviceArray<std::uint16_t> halves_;
  DeviceArray<std::int8_t> bytes_;
  DeviceArray<std::uint8_t> nibbles_;
  DeviceArray<float> byte_scales_;
  DeviceArray<std::uint16_t> nibble_scales_;
  DeviceArray<float> output_, gradient_, first_, second_;
  bool sums_blocks_ = false;     ///< a step uses the sum over the batch
  std::uint32_t per_block_ = 0;  ///< largest number of lines that a block touches
  int key_bits_ = 1;             ///< bits of line numbers, including the key of "no line"
  DeviceArray<std::uint32_t> lines_, pieces_, sorted_lines_, sorted_pieces_;
  DeviceArray<std::uint8_t> sort_room_;
};

}  // namespace frugal::cuda
