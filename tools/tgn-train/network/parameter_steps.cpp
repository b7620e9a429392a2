#include "tools/tgn-train/network/parameter_steps.h"

#include "libcore/threading/parallel.h"

namespace frugal {

void ParameterSteps::take(float rate) {
  pieces_.clear();
  for (const LayerStep& step : layers_) {
    for (std::size_t p = 0; p < step.layer->num_pieces(); ++p) pieces_.push_back({&step, p});
  }
  parallel_for(pieces_.size(), 1, [&](std::size_t i) {
    const LayerStep& step = *pieces_[i].step;
    step.layer->step_piece(pieces_[i].number, step.x, step.dy, rate);
  });
  for (VectorParameter* vector : vectors_) vector->step(rate);
  layers_.clear();
  vectors_.clear();
}

}  // namespace frugal
