#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "tools/tgn-train/network/parameter_visit.h"

namespace frugal::tgn {

/// Where the gradient of each parameter lies in that of a whole model, which ranks add up: one
/// behind the other in the order of a visit. Behind them is a number for each parameter: 0 where no
/// backward pass reached it.
class GradientLayout {
 public:
  /// Adds what it visits, all of which outlives the object.
  ParameterVisit visit();
  std::size_t size() const { return numbers_ + parts_.size(); }

  /// Moves what a backward pass has left to the gradient, [size()], all zero before.
  void take(ParameterSteps& steps, std::span<float> gradient) const;
  /// One step of each parameter that was reached; vectors that learn and were not reached rest.
  void apply(std::span<const float> gradient, float rate) const;

 private:
  struct Part {
    DenseLayer* layer;        ///< or null:
    VectorParameter* vector;  ///< one of both
    bool learns;
    std::size_t begin;
  };
  void apply_layers(std::span<const float> gradient, float rate) const;

  std::vector<Part> parts_;
  std::size_t numbers_ = 0;
};

}  // namespace frugal::tgn
