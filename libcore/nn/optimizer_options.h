#pragma once

namespace frugal {

/// Optimisers. adagrad: Duchi, Hazan, Singer, JMLR 2011. adam: Kingma, Ba, ICLR 2015, with bias
/// correction.
enum class OptimizerKind { sgd, adagrad, adam };

struct OptimizerOptions {
  OptimizerKind kind = OptimizerKind::adagrad;
  float epsilon = 1e-8F;
  float beta1 = 0.9F;    ///< adam: decay of the running mean of gradients
  float beta2 = 0.999F;  ///< adam: decay of the running mean of squared gradients
  /// L2 regularisation: weight_decay times the parameters is added to their gradients. Table rows
  /// without a gradient in a step are not changed. Cannot be combined with half_moments.
  float weight_decay = 0;
  /// adam: adds epsilon to the square root of the bias-corrected mean of squares, as in the paper's
  /// algorithm and in PyTorch. False: to the root of the uncorrected mean, as the end of the
  /// paper's section 2 proposes.
  bool corrected_epsilon = false;
  /// Embeddings: the sum of a batch's gradients of a stored number updates it once. False: every
  /// occurrence updates it separately, if the optimiser has OptimizerRule::step_blocks.
  bool sums_blocks = false;
  /// adam: layers with bf16 products store weights and moments as SplitWeights, in half of the
  /// memory.
  bool half_moments = false;
};

}  // namespace frugal
