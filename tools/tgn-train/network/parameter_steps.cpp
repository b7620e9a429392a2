#include "tools/tgn-train/network/parameter_steps.h"

#include <algorithm>

#include "libcore/threading/parallel.h"

namespace frugal::tgn {

void ParameterSteps::take(float rate) {
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
  parallel_for(pieces_.size(), 1, [&](std::size_t i) {
    const LayerStep& step = *pieces_[i].step;
    const PackedMatrix* packed = step.layer->packs_gradients()
                                     ? &packed_[static_cast<std::size_t>(&step - layers_.data())]
                                     : nullptr;
    step.layer->step_piece(pieces_[i].number, step.x, step.dy, rate, packed);
  });
  for (VectorParameter* vector : vectors_) vector->step(rate);
  layers_.clear();
  vectors_.clear();
}

}  // namespace frugal::tgn
