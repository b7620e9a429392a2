#pragma once
#include <span>
#include <vector>

#include "libcore/nn/dense_layer.h"

namespace frugal {

/// Dense layers with ReLU behind each, or each but the last. Threads as DenseLayer says.
class Mlp {
 public:
  enum class Last { relu, linear };
  /// sizes: outputs of each layer; none: the input is the output.
  Mlp(std::size_t in, std::span<const std::size_t> sizes, Last last, Precision precision);

  /// The units of a batch and the gradients of the loss by them; first the input, last the output.
  /// For the backward pass there are gradients, the input's only where it asks for it.
  struct Batch {
    std::vector<UnitRows> units, gradients;
    bool input_gradient = false;

    UnitRows& input() { return units.front(); }
    UnitRows& output() { return units.back(); }
  };
  enum class Passes { forward, backward, backward_to_input };
  Batch make_batch(std::size_t size, Passes passes) const;

  /// From the input of rows [begin, end) to their output.
  void forward(Batch& batch, std::size_t begin, std::size_t end) const;
  /// From the gradients of their output, which it overwrites, to those of the other units.
  void backward(Batch& batch, std::size_t begin, std::size_t end) const;
  /// What the gradient of a layer's weights is made of: rows [0, end).
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
