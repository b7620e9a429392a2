#pragma once
#include <span>
#include <string>

#include "libcore/base/array.h"
#include "libcore/nn/optimizer.h"
#include "libcore/nn/state_tensors.h"

namespace frugal::tgn {

/// A vector of parameters with the gradient that a backward pass adds up.
class VectorParameter {
 public:
  VectorParameter() = default;
  explicit VectorParameter(std::size_t size) : values_(size), gradient_(size) {}

  std::size_t size() const { return values_.size(); }
  std::span<float> values() { return {values_.data(), values_.size()}; }
  std::span<const float> values() const { return {values_.data(), values_.size()}; }
  float* gradient() { return gradient_.data(); }

  void prepare_training(const OptimizerOptions& optimizer) {
    optimizer_ = DenseOptimizer(optimizer, size());
  }
  void step(float rate) {
    optimizer_.step(values(), {gradient_.data(), size()}, rate);
    for (float& g : gradient_) g = 0;
  }

  void save_state(Document& document, const std::string& name) const {
    save_states(document, name, {&optimizer_, 1});
  }
  void load_state(const Document& document, const std::string& path, const std::string& name) {
    load_states(document, path, name, {&optimizer_, 1});
  }

 private:
  Array<float> values_, gradient_;
  DenseOptimizer optimizer_;
};

}  // namespace frugal::tgn
