#pragma once
#include <functional>
#include <string>

#include "libcore/nn/dense_layer.h"
#include "libcore/nn/optimizer.h"
#include "tools/tgn-train/network/parameter_steps.h"

namespace frugal::tgn {

/// Functions that a walk over a model calls for each parameter. Names are those of device engines
/// (libcore/device/engine_kinds.md).
struct ParameterVisit {
  std::function<void(const std::string& name, DenseLayer& layer)> layer;
  /// learns: training changes the vector.
  std::function<void(const std::string& name, VectorParameter& vector, bool learns)> vector;
};

/// Visit that gives each parameter the optimiser's state.
inline ParameterVisit prepare_each(const OptimizerOptions& optimizer) {
  return {[=](const std::string&, DenseLayer& layer) { layer.prepare_training(optimizer); },
          [=](const std::string&, VectorParameter& vector, bool) {
            vector.prepare_training(optimizer);
          }};
}

}  // namespace frugal::tgn
