#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "libcore/kernels/gemm.h"
#include "tools/robe-compress/columns/click_options.h"
#include "tools/robe-compress/data/unknown_values.h"

namespace frugal::robe {

struct ClickPredictOptions {
  std::string model;
  std::string data = "-";
  std::string output = "-";
  ClickOptions input;
  bool logits = false;  ///< write them instead of probabilities
  Precision precision = Precision::f32;
  std::string device = "cpu";  ///< --device
};

struct ClickPredictResult {
  std::uint64_t samples = 0;
  std::vector<UnknownValues> unknown;
};

/// Writes the probability of a click for each record of the input, a line each, in constant memory.
/// A pipe is answered as soon as it has records.
ClickPredictResult predict_clicks(const ClickPredictOptions& options);

}  // namespace frugal::robe
