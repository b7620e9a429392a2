#pragma once
/// Training of an output layer over many labels without storing logits:
/// kernels/labels/label_tiles.h.
#include "libcore/device/cuda/engines/dense_layer.h"
#include "libcore/device/cuda/kernels/labels/blocked_softmax.h"
#include "libcore/device/cuda/kernels/labels/label_rows.h"

namespace frugal::cuda {

enum class LabelLoss { softmax, one_vs_all };

struct LabelShape {
  std::uint32_t labels, units;  ///< a label's row has one weight per unit and a bias
  std::uint32_t width;          ///< numbers of a row of hidden units: the units, a 1 and zeros
  std::uint32_t block;          ///< labels processed at a time; 0: as many as caches hold
  LabelLoss loss;
};

/// Arrays of a batch on the device. hidden: [examples, width].
struct LabelBatch {
  const std::uint32_t* examples;  ///< number of examples, at most `most`
  const float* hidden;
  OwnLabels own;
  /// Makes the products of a batch with exactly `most` examples; null otherwise.
  const ProductLibrary* library = nullptr;
};

/// Calls use(outputs) for one block of `outputs` after another.
template <class Use>
void for_blocks(OutputRows outputs, std::uint32_t block, const Use& use) {
  const std::uint32_t end = outputs.begin + outputs.count;
  while (outputs.begin < end) {
    outputs.count = end - outputs.begin < block ? end - outputs.begin : block;
    use(outputs);
    outputs.begin += outputs.count;
  }
}

struct LabelTiles;
struct SplitSums;

class FusedLabels {
 public:
  FusedLabels() = default;
  /// most: examples of a batch; most_own: labels of all its examples together.
  FusedLabels(const LabelShape& shape, std::uint32_t most, std::uint32_t most_own, Room& room);
  /// Whether its kernels support the shape.
  static bool takes(const LabelShape& shape, Products products);

  /// Trains as LabelOutput::train() does.
  template <class Step>
  void train(const OutputRows& outputs, const LabelBatch& batch, double* losses, float* dhidden,
             cudaStream_t stream, const Step& step) const {
    begin(batch, stream);
    for_blocks(outputs, block_, [&](const OutputRows& block) { add(block, batch, stream); });
    finish(outputs, batch, losses, dhidden, stream);
    for_blocks(outputs, block_, [&](const OutputRows& block) {
      differentiate(block, batch, stream);
      step(block, static_cast<const float*>(gradient_.data()));
    });
  }

 private:
  void begin(const LabelBatch& batch, cudaStream_t stream) const;
  /// Rounds the outputs up to *count (null: all) to bf16 in the layout of the tiles.
  void round(const OutputRows& outputs, const std::uint32_t* count,
             const DeviceArray<std::uint16_t>& rows, const DeviceArray<float>& terms,
             cudaStream_t stream) const;
  void add(const OutputRows& block, const LabelBatch& batch, cudaStream_t stream) const;
  void finish(const OutputRows& outputs, const LabelBatch& batch, double* losses, float* dhidden,
              cudaStream_t stream) const;
  void differentiate(const OutputRows& block, const LabelBatch& batch, cudaStream_t stream) const;
  LabelTiles tiles(const OutputRows& block, const LabelBatch& batch) const;
  SplitSums sums() const;
  template <class Use>
  void with_kind(const Use& use) const;

  LabelShape shape_{};
  std::uint32_t block_ = 0, most_ = 0, groups_ = 0, splits_ = 0;
  DeviceArray<std::uint16_t> hidden_, rows_;
  DeviceArray<float> terms_, example_terms_, top_, products_, gradient_, factors_;
  DeviceArray<double> sums_;
  DeviceArray<std::uint32_t> own_labels_, own_places_, sorted_labels_, sorted_places_,
      own_examples_;
  DeviceArray<std::uint8_t> sort_room_;
};

}  // namespace frugal::cuda
