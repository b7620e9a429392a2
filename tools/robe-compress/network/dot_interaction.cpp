#include "tools/robe-compress/network/dot_interaction.h"

#include <algorithm>

#include "libcore/kernels/kernels.h"

namespace frugal::robe {
namespace {

/// The vectors of sample r.
PairDots sample_pairs(const InteractionShape& shape, bool diagonal, const InteractionInput& input,
                      std::size_t r) {
  thread_local Array<float> scratch;
  const std::size_t size = pair_scratch_size(shape.num_vectors(), shape.dim);
  if (scratch.size() < size) scratch = Array<float>(size, uninitialized);
  return {.first = shape.has_dense ? input.dense.row(r) : nullptr,
          .rest = input.embeddings.row(r),
          .count = shape.num_vectors(),
          .dim = shape.dim,
          .diagonal = diagonal,
          .scratch = scratch.data()};
}

}  // namespace

std::size_t DotInteraction::num_features() const {
  return num_passed() + num_pairs(shape_.num_vectors(), diagonal_);
}

std::unique_ptr<InteractionBatch> DotInteraction::make_batch(std::size_t, bool) const {
  return std::make_unique<InteractionBatch>();
}

void DotInteraction::forward(const InteractionInput& input, InteractionBatch&,
                             MatrixView<float> features, std::span<float>) const {
  for (std::size_t r = input.begin; r < input.end; ++r) {
    const float* passed = shape_.has_dense ? input.dense.row(r) : input.embeddings.row(r);
    float* dots = std::copy_n(passed, num_passed(), features.row(r));
    kernels().pair_dots(sample_pairs(shape_, diagonal_, input, r), dots);
  }
}

void DotInteraction::backward(const InteractionInput& input, InteractionBatch&,
                              MatrixView<const float> dfeatures, std::span<const float>,
                              const InteractionGradient& gradient) const {
  const Kernels& k = kernels();
  for (std::size_t r = input.begin; r < input.end; ++r) {
    const float* from = dfeatures.row(r);
    float* const ddense = shape_.has_dense ? gradient.dense.row(r) : nullptr;
    float* const dembeddings = gradient.embeddings.row(r);
    k.pair_dots_backward(sample_pairs(shape_, diagonal_, input, r), from + num_passed(), ddense,
                         dembeddings);
    k.axpy(1, from, shape_.has_dense ? ddense : dembeddings, num_passed());
  }
}

}  // namespace frugal::robe
