#include "tools/robe-compress/network/linear_interaction.h"

#include <algorithm>
#include <numeric>

namespace frugal::robe {

std::unique_ptr<InteractionBatch> LinearInteraction::make_batch(std::size_t, bool) const {
  return std::make_unique<InteractionBatch>();
}

void LinearInteraction::forward(const InteractionInput& input, InteractionBatch&,
                                MatrixView<float> features, std::span<float> logits) const {
  for (std::size_t r = input.begin; r < input.end; ++r) {
    std::copy_n(input.dense.row(r), shape_.num_numbers, features.row(r));
    const float* weights = input.embeddings.row(r);
    logits[r] = std::accumulate(weights, weights + input.embeddings.cols, logits[r]);
  }
}

/// Numbers have no layers before them which would ask for a gradient.
void LinearInteraction::backward(const InteractionInput& input, InteractionBatch&,
                                 MatrixView<const float>, std::span<const float> dlogits,
                                 const InteractionGradient& gradient) const {
  for (std::size_t r = input.begin; r < input.end; ++r) {
    std::fill_n(gradient.embeddings.row(r), gradient.embeddings.cols, dlogits[r]);
  }
}

}  // namespace frugal::robe
