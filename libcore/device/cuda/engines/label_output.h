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
  /// [labels] of sampled ones, for what an example's own are spared: null where none is sampled.
  const float* log_inclusion = nullptr;
  /// Makes the products of a batch that has `most` examples, where it is not null.
  const ProductLibrary* library = nullptr;
};

/// Rows of labels come from rows(first label, labels): theirs, [labels, dim] on the device, until
/// it is asked again.
class LabelOutput {
 public:
  LabelOutput(const LabelShape& shape, Products products, std::uint32_t most, bool training,
              Room& room);

  /// Losses [examples] and the gradient of hidden [examples, dim], of the sum of losses.
  /// step(first label, labels, gradient of their rows [labels, dim]) is called for one block after
  /// the other, whose rows nothing reads from then on. labels: those of the shape, or fewer.
  template <class Rows, class Step>
  void train(std::uint32_t labels, const Rows& rows, const LabelBatch& batch, double* losses,
             float* dhidden, cudaStream_t stream, const Step& step) {
    if (shape_.loss == LabelLoss::softmax) {
      for_blocks(labels, batch, [&](const LogitBlock& block) {
        add_normalisers(rows(block.begin, block.columns), batch, block, stream);
      });
      finish_normalisers(batch, losses, stream);
    }
    for_blocks(labels, batch, [&](const LogitBlock& block) {
      differentiate(rows(block.begin, block.columns), batch, block, losses, dhidden, stream);
      step(block.begin, block.columns, static_cast<const float*>(row_gradients_.data()));
    });
  }

  /// Calls use(block) with the logits of one block after the other. losses: as above, of a softmax.
  template <class Rows, class Use>
  void score(const Rows& rows, const LabelBatch& batch, double* losses, cudaStream_t stream,
             const Use& use) {
    for_blocks(shape_.labels, batch, [&](const LogitBlock& block) {
      const float* w = rows(block.begin, block.columns);
      if (shape_.loss == LabelLoss::softmax) {
        add_normalisers(w, batch, block, stream);
      } else {
        compute_logits(w, batch, block, stream);
      }
      use(block);
    });
    if (shape_.loss == LabelLoss::softmax) finish_normalisers(batch, losses, stream);
  }
  /// After score(): null where there are none.
  Normalisers normalisers() const { return {largest_.data(), sums_.data(), own_.data()}; }

 private:
  template <class Use>
  void for_blocks(std::uint32_t labels, const LabelBatch& batch, const Use& use) const {
    for (std::uint32_t begin = 0; begin < labels; begin += shape_.block) {
      const std::uint32_t left = labels - begin;
      use(LogitBlock{logits_.data(), begin, left < shape_.block ? left : shape_.block, stride_,
                     batch.examples});
    }
  }
  void make(const Product& p, bool trans_a, bool trans_b, const LabelBatch& batch,
            cudaStream_t stream) const;
  void compute_logits(const float* rows, const LabelBatch& batch, const LogitBlock& block,
                      cudaStream_t stream) const;
  void add_normalisers(const float* rows, const LabelBatch& batch, const LogitBlock& block,
                       cudaStream_t stream) const;
  void finish_normalisers(const LabelBatch& batch, double* losses, cudaStream_t stream) const;
  void differentiate(const float* rows, const LabelBatch& batch, const LogitBlock& block,
                     double* losses, float* dhidden, cudaStream_t stream) const;

  LabelShape shape_;
  Products products_;
  std::uint32_t most_, stride_;  ///< stride_: of logits
  DeviceArray<float> logits_, row_gradients_, largest_;
  DeviceArray<double> sums_, own_;
};

}  // namespace frugal::cuda
