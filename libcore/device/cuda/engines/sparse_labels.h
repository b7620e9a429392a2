#pragma once
/// Label rows of sparse-train's networks on the device: softmax or one-vs-all over all labels or a
/// sample of them, the rows' steps, and the labels ranked first.
#include "libcore/device/cuda/engines/label_output.h"
#include "libcore/device/cuda/kernels/labels/label_ranks.h"
#include "libcore/device/cuda/kernels/labels/label_rows.h"

namespace frugal::cuda {

/// The labels with the largest logits of each example, and their probabilities.
class LabelRanks {
 public:
  /// Fails (unsupported) if `most_ranks` exceeds what its kernels support.
  LabelRanks(std::uint32_t most, std::uint32_t most_ranks, Room& room);

  /// Writes labels() and scores(), [examples, ranks].
  void find(LabelOutput& output, const OutputRows& all, const LabelBatch& batch,
            std::uint32_t ranks, cudaStream_t stream) {
    output.score(all, batch, stream, [&](const LogitBlock& block) { rank(block, ranks, stream); });
    launch(finish_ranks, grid_for(std::uint64_t{most_} * ranks), dim3(kThreads), stream,
           batch.examples, ranks, output.normalisers(),
           static_cast<const RankedLabel*>(best_.data()), labels_.data(), scores_.data());
  }
  const std::uint32_t* labels() const { return labels_.data(); }
  const float* scores() const { return scores_.data(); }

 private:
  void rank(const LogitBlock& block, std::uint32_t ranks, cudaStream_t stream) const;

  std::uint32_t most_;
  DeviceArray<RankedLabel> best_;
  DeviceArray<std::uint32_t> labels_;
  DeviceArray<float> scores_;
};

/// Outputs of a batch: the `count` sampled labels, or all labels if `labels` is null.
struct BatchOutputs {
  const std::uint32_t* labels = nullptr;
  const float* log_inclusion = nullptr;
  std::uint32_t count = 0;
};

/// Array: "labels.rows" [labels, label_stride], as in checkpoints.
class DeviceLabels {
 public:
  /// width: numbers of a row of hidden units. settings: see engine_kinds.md.
  DeviceLabels(const Settings& settings, std::uint32_t width, bool training, Room& room,
               NamedArrays& arrays);

  /// Computes losses and the gradient of the hidden units, and steps the rows of the outputs.
  void train(const SparseValues* values, const BatchOutputs& outputs, const LabelBatch& batch,
             double* losses, float* dhidden, cudaStream_t stream);
  /// Ranks all labels for each example of the batch; the result is in ranks().
  void rank(const LabelBatch& batch, std::uint32_t ranks, cudaStream_t stream);
  const LabelRanks& ranks() const { return ranks_; }

 private:
  void step(const OutputStep& s, cudaStream_t stream) const;
  TableRows table() const { return {rows_.data(), stride_, dim_, halves_}; }

  std::uint32_t labels_, dim_, width_, stride_, halves_;
  RuleChoice rule_;
  DeviceArray<float> rows_;
  LabelOutput output_;
  LabelRanks ranks_;
};

}  // namespace frugal::cuda
