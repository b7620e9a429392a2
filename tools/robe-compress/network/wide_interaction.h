#pragma once
#include "libcore/nn/dense_layer.h"
#include "tools/robe-compress/network/dot_interaction.h"

namespace frugal::robe {

/// A DotInteraction beside a linear model (Cheng et al., "Wide & Deep Learning for Recommender
/// Systems", DLRS 2016). The last of a row's numbers is its weight in the linear model, which the
/// dot products leave out. A layer without hidden units makes a part of the logit of the sum of
/// these weights and of the sample's numbers.
class WideInteraction : public Interaction {
 public:
  WideInteraction(const InteractionShape& shape, bool diagonal);
  static std::vector<NamedShape> layer_shapes(const InteractionShape& shape);

  std::size_t num_features() const override { return dots_.num_features(); }
  std::unique_ptr<InteractionBatch> make_batch(std::size_t size, bool training) const override;
  void forward(const InteractionInput& input, InteractionBatch& batch, MatrixView<float> features,
               std::span<float> logits) const override;
  void backward(const InteractionInput& input, InteractionBatch& batch,
                MatrixView<const float> dfeatures, std::span<const float> dlogits,
                const InteractionGradient& gradient) const override;
  std::vector<DenseLayer*> layers() override { return {&layer_}; }
  LayerRows rows_of(std::size_t layer, const InteractionBatch& batch,
                    std::size_t end) const override;

 private:
  class Batch;

  InteractionShape shape_;
  DotInteraction dots_;
  DenseLayer layer_;
};

}  // namespace frugal::robe
