#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/base/view.h"
#include "libcore/nn/dense_layer.h"
#include "libcore/nn/optimizer.h"
#include "libcore/nn/state_tensors.h"

namespace frugal::tgn {

/// A vector of parameters, with the gradient that backward passes add to.
class VectorParameter {
 public:
  VectorParameter() = default;
  explicit VectorParameter(std::size_t size) : values_(size), gradient_(size) {}

  std::size_t size() const { return values_.size(); }
  std::span<float> values() { return {values_.data(), values_.size()}; }
  std::span<const float> values() const { return {values_.data(), values_.size()}; }
  float* gradient() { return gradient_.data(); }

  void prepare_training(const OptimizerOptions& optimizer) {
    optimizer_ = DenseOptimizer(optimizer, size());
  }
  std::span<float> state() { return optimizer_.state(); }
  std::uint64_t steps() const { return optimizer_.steps(); }
  void set_steps(std::uint64_t steps) { optimizer_.set_steps(steps); }
  void step(float rate) {
    optimizer_.step(values(), {gradient_.data(), size()}, rate);
    for (float& g : gradient_) g = 0;
  }
  /// Counts a step in which no gradient could reach the vector, without changing it: there is no
  /// decay.
  void rest() { set_steps(steps() + 1); }

  void save_state(Document& document, const std::string& name) const {
    save_states(document, name, {&optimizer_, 1});
  }
  void load_state(const Document& document, const std::string& path, const std::string& name) {
    load_states(document, path, name, {&optimizer_, 1});
  }

 private:
  Array<float> values_, gradient_;
  DenseOptimizer optimizer_;
};

/// Collects the parameters that a backward pass reached, for one optimiser step. The added rows
/// must stay valid until they are taken.
class ParameterSteps {
 public:
  /// Adds a layer, the gradient of whose weights is dy^T x.
  void add(DenseLayer& layer, MatrixView<const float> x, MatrixView<const float> dy) {
    layers_.push_back({&layer, x, dy});
  }
  void add(VectorParameter& vector) { vectors_.push_back(&vector); }
  /// Makes an optimiser step for everything added, then forgets it.
  void take(float rate);
  /// Writes the gradients instead of stepping, each parameter's to the span that its function
  /// returns. The gradients of a layer's pieces follow each other.
  void take_gradients(const std::function<std::span<float>(const DenseLayer&)>& of_layer,
                      const std::function<std::span<float>(const VectorParameter&)>& of_vector);

 private:
  struct LayerStep {
    DenseLayer* layer;
    MatrixView<const float> x, dy;
  };
  struct LayerPiece {
    const LayerStep* step;
    std::size_t number;
    std::size_t begin;  ///< offset of its gradient in the layer's
  };
  void list_pieces();
  void forget();
  /// Packed dy of the piece's layer; null if the layer does not pack it.
  const PackedMatrix* packed_of(const LayerPiece& piece) const;

  std::vector<LayerStep> layers_;
  std::vector<VectorParameter*> vectors_;
  std::vector<LayerPiece> pieces_;
  std::vector<PackedMatrix> packed_;  ///< [layers] packed output gradients
};

/// Functions that a walk over a model calls for each parameter. Names are those of device engines
/// (libcore/device/engine_kinds.md).
struct ParameterVisit {
  std::function<void(const std::string& name, DenseLayer& layer)> layer;
  /// learns: training changes the vector.
  std::function<void(const std::string& name, VectorParameter& vector, bool learns)> vector;
};

/// Visit that gives each parameter the optimiser's state.
inline ParameterVisit prepare_each(const OptimizerOptions& optimizer) {
  return {[=](const std::string&, DenseLayer& layer) { layer.prepare_training(optimizer); },
          [=](const std::string&, VectorParameter& vector, bool) {
            vector.prepare_training(optimizer);
          }};
}

}  // namespace frugal::tgn
