#pragma once
#include <string>

#include "libcore/tensors/tensor_file.h"
#include "tools/tgn-train/affinity/training.h"

namespace frugal::tgn {

/// Options of `tgn-train eval-affinity`.
struct AffinityEvalOptions {
  std::string model, events;
  std::string forecasts;  ///< file for the scores and weights of the test; "" = none
  std::string history_entry;
};

struct AffinityEvalResult {
  std::uint64_t classes = 0, vectors = 0;
  AffinityModel model;
  AffinityTest tests;
  double seconds = 0;
};

/// Tests a model on the parts of a stream that its training ended at.
AffinityEvalResult evaluate_affinity(const AffinityEvalOptions& options);

/// Options of `tgn-train predict-affinity`.
struct AffinityPredictOptions {
  std::string model, events, output = "-";
  std::size_t top = 10;  ///< classes of each node
};

struct AffinityPredictResult {
  std::uint64_t nodes = 0, lines = 0;
  double seconds = 0;
};

/// Writes lines node,class,score: the classes with the highest scores of each node with vectors, in
/// the period after the last one.
AffinityPredictResult predict_affinity(const AffinityPredictOptions& options);

}  // namespace frugal::tgn
