#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "libcore/kernels/gemm.h"
#include "libcore/metrics/binary_metrics.h"
#include "tools/robe-compress/data/click_options.h"

namespace frugal {

class ClickBatches;
class ClickPredictor;

struct EvalOptions {
  std::string model;
  std::string data = "-";
  ClickOptions input;  ///< of it: what reads other data than the model's
  Precision precision = Precision::f32;
};

/// Metrics of a model on labelled samples, in constant memory. progress(samples) may be empty.
BinaryMetrics evaluate(ClickPredictor& predictor, ClickBatches& batches,
                       const std::function<void(std::uint64_t)>& progress = {});
BinaryMetrics evaluate_model(const EvalOptions& options,
                             const std::function<void(std::uint64_t)>& progress);

/// Named values for JSON, logs and tables: auc, log_loss, normalized_entropy, accuracy,
/// calibration.
std::vector<std::pair<std::string, double>> metric_values(const BinaryMetrics& metrics);

}  // namespace frugal
