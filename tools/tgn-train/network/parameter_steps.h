#pragma once
#include <vector>

#include "libcore/base/view.h"
#include "libcore/nn/dense_layer.h"
#include "tools/tgn-train/network/vector_parameter.h"

namespace frugal::tgn {

/// What a backward pass leaves to be stepped. The rows stay where they are until take().
class ParameterSteps {
 public:
  /// The gradient of the layer's weights is dy^T x.
  void add(DenseLayer& layer, MatrixView<const float> x, MatrixView<const float> dy) {
    layers_.push_back({&layer, x, dy});
  }
  void add(VectorParameter& vector) { vectors_.push_back(&vector); }
  /// Steps all of it, pieces of layers on all threads, and forgets it.
  void take(float rate);

 private:
  struct LayerStep {
    DenseLayer* layer;
    MatrixView<const float> x, dy;
  };
  struct Piece {
    const LayerStep* step;
    std::size_t number;
  };
  std::vector<LayerStep> layers_;
  std::vector<VectorParameter*> vectors_;
  std::vector<Piece> pieces_;
  std::vector<PackedMatrix> packed_;  ///< gradients of outputs, of each layer that packs them
};

}  // namespace frugal::tgn
