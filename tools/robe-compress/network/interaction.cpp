#include "tools/robe-compress/network/interaction.h"

#include <algorithm>

namespace frugal::robe {

LayerRows Interaction::rows_of(std::size_t, const InteractionBatch&, std::size_t) const {
  return {};
}

void concatenate(const InteractionInput& input, MatrixView<float> out) {
  for (std::size_t r = input.begin; r < input.end; ++r) {
    float* to = std::copy_n(input.dense.row(r), input.dense.cols, out.row(r));
    std::copy_n(input.embeddings.row(r), input.embeddings.cols, to);
  }
}

void split_gradient(const InteractionInput& input, MatrixView<const float> concatenated,
                    const InteractionGradient& gradient) {
  for (std::size_t r = input.begin; r < input.end; ++r) {
    const float* from = concatenated.row(r);
    std::copy_n(from, gradient.dense.cols, gradient.dense.row(r));
    std::copy_n(from + gradient.dense.cols, gradient.embeddings.cols, gradient.embeddings.row(r));
  }
}

}  // namespace frugal::robe
