#include "tools/tgn-train/network/gradient_layout.h"

#include <algorithm>
#include <cassert>
#include <string>

#include "libcore/threading/parallel.h"

namespace frugal::tgn {

ParameterVisit GradientLayout::visit() {
  ParameterVisit visit;
  visit.layer = [this](const std::string&, DenseLayer& layer) {
    parts_.push_back({&layer, nullptr, true, numbers_});
    for (std::size_t p = 0; p < layer.num_pieces(); ++p) numbers_ += layer.gradient_size(p);
  };
  visit.vector = [this](const std::string&, VectorParameter& vector, bool learns) {
    parts_.push_back({nullptr, &vector, learns, numbers_});
    numbers_ += vector.size();
  };
  return visit;
}

void GradientLayout::take(ParameterSteps& steps, std::span<float> gradient) const {
  assert(gradient.size() == size());
  const auto reach = [&](auto is_it) {
    const auto part = std::find_if(parts_.begin(), parts_.end(), is_it);
    assert(part != parts_.end());
    gradient[numbers_ + static_cast<std::size_t>(part - parts_.begin())] = 1;
    return gradient.subspan(part->begin);
  };
  steps.take_gradients(
      [&](const DenseLayer& layer) {
        return reach([&](const Part& part) { return part.layer == &layer; });
      },
      [&](const VectorParameter& vector) {
        return reach([&](const Part& part) { return part.vector == &vector; });
      });
}

void GradientLayout::apply_layers(std::span<const float> gradient, float rate) const {
  struct Piece {
    DenseLayer* layer;
    std::size_t number;
    std::span<const float> gradient;
  };
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    DenseLayer* const layer = parts_[i].layer;
    if (layer == nullptr || gradient[numbers_ + i] == 0) continue;
    std::size_t begin = parts_[i].begin;
    for (std::size_t p = 0; p < layer->num_pieces(); ++p) {
      pieces.push_back({layer, p, gradient.subspan(begin, layer->gradient_size(p))});
      begin += layer->gradient_size(p);
    }
  }
  parallel_for(pieces.size(), 1, [&](std::size_t i) {
    pieces[i].layer->apply_gradient(pieces[i].number, pieces[i].gradient, rate);
  });
}

void GradientLayout::apply(std::span<const float> gradient, float rate) const {
  assert(gradient.size() == size());
  apply_layers(gradient, rate);
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    VectorParameter* const vector = parts_[i].vector;
    if (vector == nullptr || !parts_[i].learns) continue;
    if (gradient[numbers_ + i] == 0) {
      vector->rest();
      continue;
    }
    std::copy_n(gradient.begin() + static_cast<std::ptrdiff_t>(parts_[i].begin), vector->size(),
                vector->gradient());
    vector->step(rate);
  }
}

}  // namespace frugal::tgn
