#pragma once
#include "tools/robe-compress/network/interaction.h"

namespace frugal::robe {

/// Logistic regression: the features are the numbers as they are, and the logit gets the sum of the
/// fields' rows, a weight for each value.
class LinearInteraction : public Interaction {
 public:
  explicit LinearInteraction(const InteractionShape& shape) : shape_(shape) {}

  std::size_t num_features() const override { return shape_.num_numbers; }
  std::unique_ptr<InteractionBatch> make_batch(std::size_t size, bool training) const override;
  void forward(const InteractionInput& input, InteractionBatch& batch, MatrixView<float> features,
               std::span<float> logits) const override;
  void backward(const InteractionInput& input, InteractionBatch& batch,
                MatrixView<const float> dfeatures, std::span<const float> dlogits,
                const InteractionGradient& gradient) const override;

 private:
  InteractionShape shape_;
};

}  // namespace frugal::robe
