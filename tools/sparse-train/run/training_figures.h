#pragma once
#include <string>

namespace frugal::sparse {

struct TrainResult;

/// Returns the figures of a training that its model keeps as metadata "model.training", as JSON.
/// Equal models have equal figures, so there are no times among them.
std::string training_figures(const TrainResult& result);

}  // namespace frugal::sparse
