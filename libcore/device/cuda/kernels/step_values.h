#pragma once
/// Values that change from step to step. Kernels read them on the device, so that one graph serves
/// all steps.
#include <cstdint>

namespace frugal::cuda {

struct StepValues {
  std::uint32_t samples;  ///< samples of the batch
  float embedding_rate;
  float network_rate;
  float epsilon;         ///< epsilon of the network's optimiser
  std::uint32_t frozen;  ///< 1: the step is skipped
  /// Number of rows of products: the samples or, if a library makes the products, the largest
  /// batch. Gradients of rows after the samples are zero.
  std::uint32_t rows = 0;
};

/// Constants of optimisers, as in libcore/nn/optimizer.h. epsilon: of embeddings.
struct RuleNumbers {
  float epsilon, beta1, beta2;
  float decay;  ///< multiple of a layer's parameters that is added to their gradient
};

}  // namespace frugal::cuda
