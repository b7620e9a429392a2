#pragma once
#include <vector>

#include "libcore/base/view.h"
#include "libcore/distributed/communicator.h"
#include "libcore/nn/dense_layer.h"
#include "tools/tgn-train/network/vector_parameter.h"

namespace frugal::tgn {

/// What a backward pass leaves to be stepped, the same of every rank. The rows stay where they are
/// until take().
class ParameterSteps {
 public:
  /// The ranks whose gradients are averaged, which outlive the object; without them there is one.
  void join(Communicator& ranks) { ranks_ = &ranks; }
  /// The gradient of the layer's weights is dy^T x.
  void add(DenseLayer& layer, MatrixView<const float> x, MatrixView<const float> dy) {
    layers_.push_back({&layer, x, dy});
  }
  void add(VectorParameter& vector) { vectors_.push_back(&vector); }
  /// Steps all of it by step_pieces() and forgets it.
  void take(float rate);

 private:
  struct LayerStep {
    DenseLayer* layer;
    MatrixView<const float> x, dy;
  };
  struct LayerPiece {
    const LayerStep* step;
    std::size_t number;
  };
  struct Pieces;
  void list_pieces();
  /// dy of the piece's layer, packed; null where the layer does not pack it.
  const PackedMatrix* packed_of(const LayerPiece& piece) const;

  Communicator* ranks_ = nullptr;
  std::vector<LayerStep> layers_;
  std::vector<VectorParameter*> vectors_;
  std::vector<LayerPiece> pieces_;
  std::vector<PackedMatrix> packed_;  ///< gradients of outputs, of each layer that packs them
};

}  // namespace frugal::tgn
