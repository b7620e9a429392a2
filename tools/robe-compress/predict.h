#pragma once
#include <cstdint>
#include <string>

#include "libcore/kernels/gemm.h"
#include "tools/robe-compress/data/click_options.h"

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

/// Writes the probability of a click for each record of the input, a line each, in constant memory.
/// Returns the number of samples. A pipe is answered as soon as it has records.
std::uint64_t predict_clicks(const ClickPredictOptions& options);

}  // namespace frugal::robe
