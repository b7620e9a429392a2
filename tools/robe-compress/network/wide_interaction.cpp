#include "tools/robe-compress/network/wide_interaction.h"

#include <algorithm>

namespace frugal::robe {

/// The rows without their weights; the sum of the weights and the numbers, and what the layer makes
/// of them; the gradients of both.
class WideInteraction::Batch : public InteractionBatch {
 public:
  Batch(const WideInteraction& of, std::size_t size)
      : width(of.shape_.num_fields * of.shape_.dim),
        dots(of.dots_.make_batch(size, true)),
        rows(size * width),
        x(size, of.layer_.shape().in),
        y(size, 1),
        dx(size, of.layer_.shape().in),
        dy(size, 1) {}

  /// For the dot products.
  InteractionInput without_weights(InteractionInput input) {
    input.embeddings = {rows.data(), input.embeddings.rows, width, width};
    return input;
  }

  std::size_t width;
  std::unique_ptr<InteractionBatch> dots;
  Array<float> rows;
  UnitRows x, y, dx, dy;
};

WideInteraction::WideInteraction(const InteractionShape& shape, bool diagonal)
    : shape_(shape),
      dots_(shape, diagonal),
      layer_(layer_shapes(shape).front().shape, Precision::f32) {}

std::vector<NamedShape> WideInteraction::layer_shapes(const InteractionShape& shape) {
  return {{"wide", {1 + shape.num_numbers, 1}}};
}

std::unique_ptr<InteractionBatch> WideInteraction::make_batch(std::size_t size, bool) const {
  return std::make_unique<Batch>(*this, size);
}

void WideInteraction::forward(const InteractionInput& input, InteractionBatch& batch,
                              MatrixView<float> features, std::span<float> logits) const {
  auto& b = static_cast<Batch&>(batch);
  const std::size_t dim = shape_.dim;
  for (std::size_t r = input.begin; r < input.end; ++r) {
    float* row = b.rows.data() + r * b.width;
    std::copy_n(input.embeddings.row(r), b.width, row);
    float sum = 0;
    for (std::size_t f = 0; f < shape_.num_fields; ++f) {
      float& weight = row[f * dim + dim - 1];
      sum += weight;
      weight = 0;
    }
    float* x = b.x.values().row(r);
    x[0] = sum;
    std::copy_n(input.numbers.row(r), shape_.num_numbers, x + 1);
  }
  layer_.forward(b.x.with_ones().rows_between(input.begin, input.end),
                 b.y.values().rows_between(input.begin, input.end));
  for (std::size_t r = input.begin; r < input.end; ++r) logits[r] += b.y.values()(r, 0);
  dots_.forward(b.without_weights(input), *b.dots, features, logits);
}

void WideInteraction::backward(const InteractionInput& input, InteractionBatch& batch,
                               MatrixView<const float> dfeatures, std::span<const float> dlogits,
                               const InteractionGradient& gradient) const {
  auto& b = static_cast<Batch&>(batch);
  const std::size_t dim = shape_.dim;
  dots_.backward(b.without_weights(input), *b.dots, dfeatures, dlogits, gradient);
  for (std::size_t r = input.begin; r < input.end; ++r) b.dy.values()(r, 0) = dlogits[r];
  layer_.backward(b.dy.values().rows_between(input.begin, input.end),
                  b.dx.values().rows_between(input.begin, input.end));
  for (std::size_t r = input.begin; r < input.end; ++r) {
    float* row = gradient.embeddings.row(r);
    for (std::size_t f = 0; f < shape_.num_fields; ++f) {
      row[f * dim + dim - 1] = b.dx.values()(r, 0);
    }
  }
}

LayerRows WideInteraction::rows_of(std::size_t, const InteractionBatch& batch,
                                   std::size_t end) const {
  const auto& b = static_cast<const Batch&>(batch);
  return {b.x.with_ones().rows_between(0, end), b.dy.values().rows_between(0, end)};
}

}  // namespace frugal::robe
