#include "libcore/nn/mlp.h"

#include "libcore/kernels/kernels.h"

namespace frugal {

Mlp::Mlp(std::size_t in, std::span<const std::size_t> sizes, Last last, Precision precision)
    : num_inputs_(in), last_(last) {
  for (const std::size_t out : sizes) {
    layers_.emplace_back(DenseShape{in, out}, precision);
    in = out;
  }
}

Mlp::Batch Mlp::make_batch(std::size_t size, Passes passes) const {
  Batch batch;
  batch.input_gradient = passes == Passes::backward_to_input;
  batch.units.emplace_back(size, num_inputs_);
  if (passes != Passes::forward) {
    batch.gradients.emplace_back(batch.input_gradient || layers_.empty() ? size : 0, num_inputs_);
  }
  for (const DenseLayer& layer : layers_) {
    batch.units.emplace_back(size, layer.shape().out);
    if (passes != Passes::forward) batch.gradients.emplace_back(size, layer.shape().out);
  }
  return batch;
}

void Mlp::forward(Batch& batch, std::size_t begin, std::size_t end) const {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const MatrixView<float> y = batch.units[i + 1].values().rows_between(begin, end);
    layers_[i].forward(batch.units[i].with_ones().rows_between(begin, end), y);
    if (!has_relu(i)) continue;
    for (std::size_t r = 0; r < y.rows; ++r) kernels().relu(y.row(r), y.cols);
  }
}

void Mlp::backward(Batch& batch, std::size_t begin, std::size_t end) const {
  for (std::size_t i = layers_.size(); i-- > 0;) {
    const MatrixView<float> y = batch.units[i + 1].values().rows_between(begin, end);
    const MatrixView<float> dy = batch.gradients[i + 1].values().rows_between(begin, end);
    for (std::size_t r = 0; has_relu(i) && r < y.rows; ++r) {
      kernels().relu_backward(y.row(r), dy.row(r), y.cols);
    }
    if (i == 0 && !batch.input_gradient) return;
    layers_[i].backward(dy, batch.gradients[i].values().rows_between(begin, end));
  }
}

LayerRows Mlp::rows_of(std::size_t layer, const Batch& batch, std::size_t end) const {
  return {batch.units[layer].with_ones().rows_between(0, end),
          batch.gradients[layer + 1].values().rows_between(0, end)};
}

}  // namespace frugal
