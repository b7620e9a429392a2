#pragma once
/// The output layer over many labels on the device. It processes all examples of a batch for one
/// block of labels at a time, so that only one block's logits are in memory. With bf16 products no
/// logits are stored at all: engines/fused_labels.h.
#include "libcore/device/cuda/engines/fused_labels.h"
#include "libcore/device/cuda/kernels/labels/blocked_softmax.h"

namespace frugal::cuda {

class LabelOutput {
 public:
  /// most: examples of a batch; most_own: labels of all its examples together, for training.
  LabelOutput(const LabelShape& shape, Products products, std::uint32_t most,
              std::uint32_t most_own, bool training, Room& room);

  /// Computes losses [examples] and the gradient of the hidden units [examples, width], i.e. of the
  /// sum of losses. Outputs are the first labels of the shape, or all. log_inclusion [outputs]: log
  /// of the inclusion probability of sampled outputs; null if none is sampled. An example's own
  /// labels are not corrected. Calls step(outputs, gradient of their rows [outputs, width]) for one
  /// block after another; the block's rows are not read afterwards.
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

  /// Calls use(logits) for one block of outputs after another. Examples need no own labels.
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
  /// Normalisers of the softmax after score(); null pointers if there are none.
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
  std::uint32_t most_, stride_;  ///< stride_: numbers from one row of logits to the next
  bool is_fused_;
  FusedLabels fused_;
  DeviceArray<float> rows_, logits_, row_gradients_, largest_;
  DeviceArray<double> sums_, own_;
};

}  // namespace frugal::cuda
