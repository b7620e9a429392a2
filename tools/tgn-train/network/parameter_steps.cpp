#include "tools/tgn-train/network/parameter_steps.h"

#include <algorithm>

#include "libcore/nn/step_pieces.h"

namespace frugal::tgn {

/// For step_pieces(): those of layers, then the vectors.
struct ParameterSteps::Pieces {
  ParameterSteps& steps;
  float rate;

  std::size_t size() const { return steps.pieces_.size() + steps.vectors_.size(); }
  const LayerPiece* of_layer(std::size_t i) const {
    return i < steps.pieces_.size() ? &steps.pieces_[i] : nullptr;
  }
  VectorParameter& vector(std::size_t i) const { return *steps.vectors_[i - steps.pieces_.size()]; }

  void step(std::size_t i) const {
    if (const LayerPiece* piece = of_layer(i)) {
      const LayerStep& s = *piece->step;
      s.layer->step_piece(piece->number, s.x, s.dy, rate, steps.packed_of(*piece));
    } else {
      vector(i).step(rate);
    }
  }
  std::size_t gradient_size(std::size_t i) const {
    const LayerPiece* piece = of_layer(i);
    return piece != nullptr ? piece->step->layer->gradient_size(piece->number) : vector(i).size();
  }
  void gradient(std::size_t i, std::span<float> to) const {
    if (const LayerPiece* piece = of_layer(i)) {
      const LayerStep& s = *piece->step;
      s.layer->piece_gradient(piece->number, s.x, s.dy, to, steps.packed_of(*piece));
    } else {
      std::copy_n(vector(i).gradient(), to.size(), to.begin());
    }
  }
  void apply(std::size_t i, std::span<const float> from) const {
    if (const LayerPiece* piece = of_layer(i)) {
      piece->step->layer->apply_gradient(piece->number, from, rate);
    } else {
      std::copy(from.begin(), from.end(), vector(i).gradient());
      vector(i).step(rate);
    }
  }
};

void ParameterSteps::list_pieces() {
  pieces_.clear();
  packed_.resize(std::max(packed_.size(), layers_.size()));
  parallel_for(layers_.size(), 1, [&](std::size_t i) {
    if (layers_[i].layer->packs_gradients()) {
      packed_[i].pack(layers_[i].dy, Transpose::no, Precision::bf16);
    }
  });
  for (const LayerStep& step : layers_) {
    for (std::size_t p = 0; p < step.layer->num_pieces(); ++p) pieces_.push_back({&step, p});
  }
}

const PackedMatrix* ParameterSteps::packed_of(const LayerPiece& piece) const {
  if (!piece.step->layer->packs_gradients()) return nullptr;
  return &packed_[static_cast<std::size_t>(piece.step - layers_.data())];
}

void ParameterSteps::take(float rate) {
  list_pieces();
  Pieces pieces{*this, rate};
  step_pieces(pieces, ranks_);
  layers_.clear();
  vectors_.clear();
}

}  // namespace frugal::tgn
