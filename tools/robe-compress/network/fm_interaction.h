#pragma once
#include "tools/robe-compress/network/interaction.h"

namespace frugal::robe {

/// Guo et al., "DeepFM: A Factorization-Machine based Neural Network for CTR Prediction", IJCAI
/// 2017. The features are the vectors side by side (the deep part), and the logit gets the
/// factorisation machine's terms: the sum of the dot products of all pairs of vectors (equation 2)
/// and a weight of each row. That weight is the last of the vector's dim numbers,
/// which the products then leave out: so one table holds both. The dense vector takes part as if it
/// were a field.
class FmInteraction : public Interaction {
 public:
  explicit FmInteraction(const InteractionShape& shape)
      : shape_(shape), num_factors_(shape.dim - 1) {}

  std::size_t num_features() const override { return shape_.num_vectors() * shape_.dim; }
  std::unique_ptr<InteractionBatch> make_batch(std::size_t size, bool training) const override;
  void forward(const InteractionInput& input, InteractionBatch& batch, MatrixView<float> features,
               std::span<float> logits) const override;
  void backward(const InteractionInput& input, InteractionBatch& batch,
                MatrixView<const float> dfeatures, std::span<const float> dlogits,
                const InteractionGradient& gradient) const override;

 private:
  InteractionShape shape_;
  std::size_t num_factors_;  ///< of a vector's numbers, those of the second order
};

}  // namespace frugal::robe
