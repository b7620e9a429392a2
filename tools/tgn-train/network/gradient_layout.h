#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "tools/tgn-train/network/parameter_steps.h"

namespace frugal::tgn {

/// Layout of a model's whole gradient, which ranks add up: the gradients of the parameters, in the
/// order of a visit. After them comes a number for each parameter, which is 0 if no backward pass
/// reached it.
class GradientLayout {
 public:
  /// Returns a visit that adds each parameter to the layout. The parameters must outlive the
  /// object.
  ParameterVisit visit();
  std::size_t size() const { return numbers_ + parts_.size(); }

  /// Moves the results of a backward pass to `gradient`, [size()], which must be zero before.
  void take(ParameterSteps& steps, std::span<float> gradient) const;
  /// Makes an optimiser step for each parameter that was reached. Vectors that learn and were not
  /// reached only count the step (VectorParameter::rest()).
  void apply(std::span<const float> gradient, float rate) const;

 private:
  struct Part {
    DenseLayer* layer;        ///< null for a vector
    VectorParameter* vector;  ///< null for a layer
    bool learns;
    std::size_t begin;
  };
  void apply_layers(std::span<const float> gradient, float rate) const;

  std::vector<Part> parts_;
  std::size_t numbers_ = 0;
};

}  // namespace frugal::tgn
