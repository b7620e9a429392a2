#pragma once
/// The output layer over many labels on the device: all of them for all examples of a batch, a
/// block of labels at a time, so that the logits of no more than a block are ever held. Products of
/// bf16 numbers hold none: engines/fused_labels.h.
#include "libcore/device/cuda/engines/fused_labels.h"
#include "libcore/device/cuda/kernels/labels/blocked_softmax.h"

namespace frugal::cuda {

class LabelOutput {
 public:
  /// most: examples; most_own: labels that they have in all, for training.
  LabelOutput(const LabelShape& shape, Products products, std::uint32_t most,
              std::uint32_t most_own, bool training, Room& room);

  /// Losses [examples] and the gradient of hidden units [examples, width], the units of each row,
  /// of the sum of losses. Outputs are those of the shape, or fewer, and begin with the first.
  /// log_inclusion [outputs]: of sampled ones, for what an example's own are spared; null where
  /// none is sampled. step(outputs, gradient of their rows [outputs, width]) is called for one
  /// block after the other, whose rows nothing reads from then on.
  template <class Step>
  void train(const OutputRows& outputs, const float* log_inclusion, const LabelBatch& batch,
             double* losses, float* dhidden, cudaStream_t stream, const Step& step) {
    if (is_fused_ && log_inclusion == nullptr) {
      return fused_.train(outputs, batch, losses, dhidden, stream, step);
    }
    if (shape_.loss == LabelLoss::softmax) {
      for_blocks(outputs, shape_.block, [&](const OutputRows& block) {
        add_normalisers(block, log_inclusion, batch, stream);
      });
      finish_normalisers(batch, losses, stream);
    }
    for_blocks(outputs, shape_.block, [&](const OutputRows& block) {
      differentiate(block, log_inclusion, batch, losses, dhidden, stream);
      step(block, static_cast<const float*>(row_gradients_.data()));
    });
  }

  /// Calls use(logits) for one block of outputs after the other. Examples need no own labels.
  template <class Use>
  void score(const OutputRows& outputs, const LabelBatch& batch, cudaStream_t stream,
             const Use& use) {
    for_blocks(outputs, shape_.block, [&](const OutputRows& block) {
      if (shape_.loss == LabelLoss::softmax) {
        add_normalisers(block, nullptr, batch, stream);
      } else {
        compute_logits(block, nullptr, batch, stream);
      }
      use(logits_of(block, batch));
    });
  }
  /// After score(): null where there are none.
  Normalisers normalisers() const { return {largest_.data(), sums_.data(), own_.data()}; }

 private:
  void make(const Product& p, bool trans_a, bool trans_b, const LabelBatch& batch,
            cudaStream_t stream) const;
  LogitBlock logits_of(const OutputRows& block, const LabelBatch& batch) const {
    return {logits_.data(), block.begin, block.count, stride_, batch.examples};
  }
  void compute_logits(const OutputRows& block, const float* log_inclusion, const LabelBatch& batch,
                      cudaStream_t stream) const;
  void add_normalisers(const OutputRows& block, const float* log_inclusion, const LabelBatch& batch,
                       cudaStream_t stream) const;
  void finish_normalisers(const LabelBatch& batch, double* losses, cudaStream_t stream) const;
  void differentiate(const OutputRows& block, const float* log_inclusion, const LabelBatch& batch,
                     double* losses, float* dhidden, cudaStream_t stream) const;

  LabelShape shape_;
  Products products_;
  std::uint32_t most_, stride_;  ///< stride_: of logits
  bool is_fused_;
  FusedLabels fused_;
  DeviceArray<float> rows_, logits_, row_gradients_, largest_;
  DeviceArray<double> sums_, own_;
};

}  // namespace frugal::cuda
