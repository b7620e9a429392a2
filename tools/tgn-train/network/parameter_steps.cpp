#include "tools/tgn-train/network/parameter_steps.h"

#include <algorithm>

#include "libcore/threading/parallel.h"

namespace frugal::tgn {

void ParameterSteps::list_pieces() {
  pieces_.clear();
  packed_.resize(std::max(packed_.size(), layers_.size()));
  parallel_for(layers_.size(), 1, [&](std::size_t i) {
    if (layers_[i].layer->packs_gradients()) {
      packed_[i].pack(layers_[i].dy, Transpose::no, Precision::bf16);
    }
  });
  for (const LayerStep& step : layers_) {
    std::size_t begin = 0;
    for (std::size_t p = 0; p < step.layer->num_pieces(); ++p) {
      pieces_.push_back({&step, p, begin});
      begin += step.layer->gradient_size(p);
    }
  }
}

const PackedMatrix* ParameterSteps::packed_of(const LayerPiece& piece) const {
  if (!piece.step->layer->packs_gradients()) return nullptr;
  return &packed_[static_cast<std::size_t>(piece.step - layers_.data())];
}

void ParameterSteps::forget() {
  layers_.clear();
  vectors_.clear();
}

void ParameterSteps::take(float rate) {
  list_pieces();
  // Pieces of layers, then the vectors.
  parallel_for(pieces_.size() + vectors_.size(), 1, [&](std::size_t i) {
    if (i >= pieces_.size()) return vectors_[i - pieces_.size()]->step(rate);
    const LayerStep& s = *pieces_[i].step;
    s.layer->step_piece(pieces_[i].number, s.x, s.dy, rate, packed_of(pieces_[i]));
  });
  forget();
}

void ParameterSteps::take_gradients(
    const std::function<std::span<float>(const DenseLayer&)>& of_layer,
    const std::function<std::span<float>(const VectorParameter&)>& of_vector) {
  list_pieces();
  std::vector<std::span<float>> to(layers_.size());
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = of_layer(*layers_[i].layer);
  parallel_for(pieces_.size(), 1, [&](std::size_t i) {
    const LayerPiece& piece = pieces_[i];
    const LayerStep& s = *piece.step;
    const auto number = static_cast<std::size_t>(piece.step - layers_.data());
    const auto part = to[number].subspan(piece.begin, s.layer->gradient_size(piece.number));
    s.layer->piece_gradient(piece.number, s.x, s.dy, part, packed_of(piece));
  });
  for (VectorParameter* vector : vectors_) {
    std::copy_n(vector->gradient(), vector->size(), of_vector(*vector).begin());
    std::fill_n(vector->gradient(), vector->size(), 0.0F);
  }
  forget();
}

}  // namespace frugal::tgn
