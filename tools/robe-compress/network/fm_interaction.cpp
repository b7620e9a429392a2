#include "tools/robe-compress/network/fm_interaction.h"

#include <algorithm>

#include "libcore/kernels/kernels.h"

namespace frugal::robe {
namespace {

/// Keeps the sum over the vectors of each of their numbers.
class FmBatch : public InteractionBatch {
 public:
  FmBatch(std::size_t size, std::size_t dim) : sums_(size * dim), size_(size), dim_(dim) {}
  MatrixView<float> sums() { return {sums_.data(), size_, dim_}; }

 private:
  Array<float> sums_;
  std::size_t size_, dim_;
};

/// gradient [dim] of a vector v += g times that of the terms of the logit; sum: over all vectors.
void add_gradient_of_terms(const float* v, const float* sum, std::size_t factors, std::size_t dim,
                           float g, float* gradient) {
  for (std::size_t d = 0; d < factors; ++d) gradient[d] += g * (sum[d] - v[d]);
  for (std::size_t d = factors; d < dim; ++d) gradient[d] += g;
}

}  // namespace

std::unique_ptr<InteractionBatch> FmInteraction::make_batch(std::size_t size, bool) const {
  return std::make_unique<FmBatch>(size, shape_.dim);
}

/// sum over pairs of v_i . v_j = (|sum v|^2 - sum |v|^2) / 2 (Rendle, ICDM 2010, lemma 3.1).
void FmInteraction::forward(const InteractionInput& input, InteractionBatch& batch,
                            MatrixView<float> features, std::span<float> logits) const {
  concatenate(input, features);
  const Kernels& k = kernels();
  const MatrixView<float> sums = static_cast<FmBatch&>(batch).sums();
  for (std::size_t r = input.begin; r < input.end; ++r) {
    float* sum = sums.row(r);
    std::fill_n(sum, shape_.dim, 0.0F);
    float squares = 0;
    for (std::size_t i = 0; i < shape_.num_vectors(); ++i) {
      const float* v = features.row(r) + i * shape_.dim;
      k.axpy(1, v, sum, shape_.dim);
      squares += k.squared_norm(v, num_factors_);
    }
    logits[r] += (k.squared_norm(sum, num_factors_) - squares) / 2;
    for (std::size_t d = num_factors_; d < shape_.dim; ++d) logits[r] += sum[d];
  }
}

void FmInteraction::backward(const InteractionInput& input, InteractionBatch& batch,
                             MatrixView<const float> dfeatures, std::span<const float> dlogits,
                             const InteractionGradient& gradient) const {
  split_gradient(input, dfeatures, gradient);
  const MatrixView<float> sums = static_cast<FmBatch&>(batch).sums();
  const std::size_t dim = shape_.dim;
  for (std::size_t r = input.begin; r < input.end; ++r) {
    if (shape_.has_dense) {
      add_gradient_of_terms(input.dense.row(r), sums.row(r), num_factors_, dim, dlogits[r],
                            gradient.dense.row(r));
    }
    for (std::size_t f = 0; f < shape_.num_fields; ++f) {
      add_gradient_of_terms(input.embeddings.row(r) + f * dim, sums.row(r), num_factors_, dim,
                            dlogits[r], gradient.embeddings.row(r) + f * dim);
    }
  }
}

}  // namespace frugal::robe
