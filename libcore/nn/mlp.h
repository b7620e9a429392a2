#pragma once
#include <span>
#include <vector>

#include "libcore/nn/dense_layer.h"

namespace frugal {

/// Dense layers, each followed by ReLU; the last one only if Last::relu. Threads may be used as in
/// DenseLayer.
class Mlp {
 public:
  enum class Last { relu, linear };
  /// sizes: number of outputs of each layer; empty: the output is the input.
  Mlp(std::size_t in, std::span<const std::size_t> sizes, Last last, Precision precision);

  /// Units of a batch, from the input to the output, and the gradients of the loss with respect to
  /// them. Gradients exist for the backward pass only; the input's only if it is requested.
  struct Batch {
    std::vector<UnitRows> units, gradients;
    bool input_gradient = false;

    UnitRows& input() { return units.front(); }
    UnitRows& output() { return units.back(); }
  };
  enum class Passes { forward, backward, backward_to_input };
  Batch make_batch(std::size_t size, Passes passes) const;

  /// Computes the outputs of rows [begin, end) from their inputs.
  void forward(Batch& batch, std::size_t begin, std::size_t end) const;
  /// Computes the gradients of the other units from those of the output, which are overwritten.
  void backward(Batch& batch, std::size_t begin, std::size_t end) const;
  /// Operands of the gradient of a layer's weights: rows [0, end).
  LayerRows rows_of(std::size_t layer, const Batch& batch, std::size_t end) const;

  std::size_t num_inputs() const { return num_inputs_; }
  std::size_t num_outputs() const {
    return layers_.empty() ? num_inputs_ : layers_.back().shape().out;
  }
  std::vector<DenseLayer>& layers() { return layers_; }
  const std::vector<DenseLayer>& layers() const { return layers_; }

 private:
  bool has_relu(std::size_t layer) const {
    return last_ == Last::relu || layer + 1 < layers_.size();
  }

  std::size_t num_inputs_;
  Last last_;
  std::vector<DenseLayer> layers_;
};

}  // namespace frugal
