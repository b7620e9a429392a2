#pragma once

namespace frugal {

/// adagrad: Duchi, Hazan, Singer, JMLR 2011. adam: Kingma, Ba, ICLR 2015, with bias correction.
enum class OptimizerKind { sgd, adagrad, adam };

struct OptimizerOptions {
  OptimizerKind kind = OptimizerKind::adagrad;
  float epsilon = 1e-8F;
  float beta1 = 0.9F;    ///< adam: decay of the mean gradient
  float beta2 = 0.999F;  ///< adam: decay of the mean square
  /// Share of the parameters that a step adds to their gradients (L2 regularisation). Rows of
  /// tables that a step has no gradient for are left alone. Not with half_moments.
  float weight_decay = 0;
  /// adam: epsilon is added to the root of the corrected mean square, as in the algorithm and in
  /// PyTorch; else to that of the plain one, as the end of section 2 proposes.
  bool corrected_epsilon = false;
  /// Embeddings: a batch's gradients of a number are added up for one step. Without, optimisers
  /// that can take each occurrence as a step of its own.
  bool sums_blocks = false;
  /// adam: layers whose products are in bf16 keep their weights and moments as SplitWeights does,
  /// in half of the memory.
  bool half_moments = false;
};

}  // namespace frugal
