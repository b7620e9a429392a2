#pragma once
#include <cstdint>
#include <string>

#include "tools/sparse-train/model.h"

namespace frugal {

struct PredictOptions {
  std::string model;
  std::string data = "-";
  std::string output = "-";
  std::string format = "auto";  ///< of the input; auto = as the training data
  std::size_t top_k = 1;
};

struct PredictResult {
  std::uint64_t examples = 0;
  double seconds = 0;  ///< without loading the model
};

/// Writes a line of "label:score" for each line of the input, best first. Input that is not a file
/// (a pipe, a terminal) is answered line by line.
PredictResult predict(const PredictOptions& options);

}  // namespace frugal
