#pragma once
/// The output layer over many labels on the device: all of them for all examples of a batch, a
/// block of labels at a time, so that the logits of no more than a block are ever held.
#include "libcore/device/cuda/engines/dense_layer.h"
#include "libcore/device/cuda/kernels/blocked_softmax.h"

namespace frugal::cuda {

enum class LabelLoss { softmax, one_vs_all };

struct LabelShape {
  std::uint32_t labels, dim;  ///< dim: of hidden units and of rows, whose last one is 1 and a bias
  std::uint32_t block;        ///< labels at a time
  LabelLoss loss;
};

/// What a batch brings: hidden [examples, dim], all on the device.
struct LabelBatch {
  const std::uint32_t* examples;  ///< how many, at most `most`
  const float* hidden;
  OwnLabels own;
};

class LabelOutput {
 public:
  LabelOutput(const LabelShape& shape, Products products, std::uint32_t most, Room& room);

  /// Losses [examples] and the gradient of hidden [examples, dim], of the sum of losses, with rows
  /// [labels, dim]. step(first label, labels, gradient of their rows [labels, dim]) is called for
  /// one block after the other, whose rows nothing reads from then on.
  template <class Step>
  void train(const float* rows, const LabelBatch& batch, double* losses, float* dhidden,
             cudaStream_t stream, const Step& step) {
    if (shape_.loss == LabelLoss::softmax) find_normalisers(rows, batch, losses, stream);
    for (std::uint32_t begin = 0; begin < shape_.labels; begin += shape_.block) {
      const LogitBlock block = block_at(begin, batch);
      differentiate(rows, batch, block, losses, dhidden, stream);
      step(begin, block.columns, static_cast<const float*>(row_gradients_.data()));
    }
  }

 private:
  LogitBlock block_at(std::uint32_t begin, const LabelBatch& batch) const;
  void compute_logits(const float* rows, const LabelBatch& batch, const LogitBlock& block,
                      cudaStream_t stream) const;
  void find_normalisers(const float* rows, const LabelBatch& batch, double* losses,
                        cudaStream_t stream) const;
  void differentiate(const float* rows, const LabelBatch& batch, const LogitBlock& block,
                     double* losses, float* dhidden, cudaStream_t stream) const;
  Normalisers normalisers() const { return {largest_.data(), sums_.data(), own_.data()}; }

  LabelShape shape_;
  Products products_;
  std::uint32_t most_;
  DeviceArray<float> logits_, row_gradients_, largest_;
  DeviceArray<double> sums_, own_;
};

}  // namespace frugal::cuda
