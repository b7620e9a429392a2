#pragma once

namespace frugal {

/// Optimisers. adagrad: Duchi, Hazan, Singer, JMLR 2011. adam: Kingma, Ba, ICLR 2015, with bias
/// correction.
enum class OptimizerKind { sgd, adagrad, adam };

struct OptimizerOptions {
  OptimizerKind kind = OptimizerKind::adagrad;
  float epsilon = 1e-8F;
  float beta1 = 0.9F;    ///< adam: decay of the mean gradient
  float beta2 = 0.999F;  ///< adam: decay of the mean square
  /// L2 regularisation: weight_decay times the parameters is added to their gradients. Table rows
  /// without a gradient in a step are not changed. Cannot be combined with half_moments.
  float weight_decay = 0;
  /// adam: adds epsilon to the root of the bias-corrected mean square, as in the algorithm and in
  /// PyTorch. False: to that of the uncorrected one, as the end of section 2 proposes.
  bool corrected_epsilon = false;
  /// Embeddings: sums a batch's gradients of a number for one step. False: optimisers that can do
  /// so make a separate step for each occurrence.
  bool sums_blocks = false;
  /// adam: layers with bf16 products store weights and moments as SplitWeights, in half of the
  /// memory.
  bool half_moments = false;
};

}  // namespace frugal
