#pragma once
#include "tools/robe-compress/network/interaction.h"

namespace frugal::robe {

struct CrossOptions {
  std::size_t layers = 3;
  std::size_t rank = 0;  ///< of the weights, W = U V; 0: full
};

/// The cross layers of DCN-v2 (Wang et al., WWW 2021, equations 1 and 2): x_{l+1} = x_0 * (W x_l +
/// b) + x_l, element by element, x_0 the vectors side by side; with a rank W = U V. Their output
/// are the features: the deep part is stacked on it, as in TorchRec's model for MLPerf.
class CrossInteraction : public Interaction {
 public:
  CrossInteraction(const InteractionShape& shape, const CrossOptions& options, Precision precision);
  /// The layers that an interaction of these options has, in the order of layers().
  static std::vector<NamedShape> layer_shapes(const InteractionShape& shape,
                                              const CrossOptions& options);

  std::size_t num_features() const override { return width_; }
  std::unique_ptr<InteractionBatch> make_batch(std::size_t size, bool training) const override;
  void forward(const InteractionInput& input, InteractionBatch& batch, MatrixView<float> features,
               std::span<float> logits) const override;
  void backward(const InteractionInput& input, InteractionBatch& batch,
                MatrixView<const float> dfeatures, std::span<const float> dlogits,
                const InteractionGradient& gradient) const override;
  std::vector<DenseLayer*> layers() override;
  LayerRows rows_of(std::size_t layer, const InteractionBatch& batch,
                    std::size_t end) const override;

 private:
  class Batch;
  bool low_rank() const { return options_.rank != 0; }

  std::size_t width_;
  CrossOptions options_;
  std::vector<DenseLayer> layers_;  ///< W of each cross layer, or V and U
};

}  // namespace frugal::robe
