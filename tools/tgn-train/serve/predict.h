#pragma once
#include <cstdint>

#include "tools/tgn-train/serve/predict_options.h"

namespace frugal::tgn {

struct PredictResult {
  std::uint64_t events = 0;  ///< events scored
  std::uint64_t history_events = 0;
  std::uint64_t skipped = 0;  ///< invalid lines
  /// Lines with an unknown node.
  std::uint64_t unknown_sources = 0, unknown_destinations = 0;
  std::size_t nodes = 0, new_nodes = 0;
  std::size_t kept_events = 0;
  /// True if the memory after the training events was the model's; false if it was computed anew by
  /// its weights.
  bool memory_of_model = false;
  double read_seconds = 0, seconds = 0;
  bool stopped = false;  ///< stopped by a signal
};

/// Answers each event in a line with its probability, computed before the event is applied to the
/// memory. Each answer is written before the run waits for more input.
PredictResult predict_events(const PredictOptions& options);

}  // namespace frugal::tgn
