#pragma once
/// What changes from step to step; kernels read it on the device, so one graph serves all steps.
#include <cstdint>

namespace frugal::cuda {

struct StepValues {
  std::uint32_t samples;  ///< of the batch
  float embedding_rate;
  float network_rate;
  float epsilon;         ///< of the network's step
  std::uint32_t frozen;  ///< 1: the step is left out
  /// Rows that products make: the samples or, where a library makes them, as many as a batch may
  /// have. Gradients of rows behind the samples are zero.
  std::uint32_t rows = 0;
};

/// What optimisers keep the same; as in libcore/nn/optimizer.h. epsilon: of embeddings.
enum class Rule : int { sgd, adagrad, adam };
struct RuleNumbers {
  float epsilon, beta1, beta2;
  float decay;  ///< how much of a layer's numbers is added to their gradient
};

}  // namespace frugal::cuda
