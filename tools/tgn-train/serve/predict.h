#pragma once
#include <cstdint>
#include <string>

#include "libcore/kernels/gemm.h"
#include "tools/tgn-train/data/event_layout.h"

namespace frugal::tgn {

/// Everything that `tgn-train predict` is told.
struct PredictOptions {
  std::string model;
  std::string events = "-";  ///< text
  std::string output = "-";
  std::string answers = "csv";  ///< json: an object a line
  EventLayoutOptions layout;
  std::string ids = "auto";        ///< number, any; auto: as history or state, else EventIds
  std::string bipartite = "auto";  ///< yes, no; auto: as history or state, else by the format
  std::string history;             ///< an events file that goes before, or ""
  std::string state;               ///< of a run before, or ""
  std::string save_state;          ///< file to write, or ""
  std::string ties = "auto";       ///< strict, order; auto: strict
  std::string on_error = "stop";   ///< skip: lines that cannot be taken are passed over
  bool logits = false;             ///< scores are logits, not probabilities
  bool query = false;              ///< events are questions: the memory is not told of them
  bool rank = false;               ///< with query: the rank of each line's destination
  std::size_t top = 0;             ///< with query: so many best destinations instead of the line's
  std::size_t batch = 0;           ///< 0: 200, or that of the training where it matters
  Precision precision = Precision::f32;
  std::string history_entry;
};

struct PredictResult {
  std::uint64_t events = 0;  ///< scored
  std::uint64_t history_events = 0;
  std::uint64_t skipped = 0;  ///< lines that could not be taken
  /// Lines with a node that nothing was known of.
  std::uint64_t unknown_sources = 0, unknown_destinations = 0;
  std::size_t nodes = 0, new_nodes = 0;
  std::size_t kept_events = 0;
  /// Behind training the memory was the model's own, else made anew by its weights.
  bool memory_of_model = false;
  double read_seconds = 0, seconds = 0;
  bool stopped = false;  ///< by a signal
};

/// Answers events, a line each, with the probability that they happen, which is computed before the
/// memory knows of them. An answer is written before more input is waited for.
PredictResult predict_events(const PredictOptions& options);

}  // namespace frugal::tgn
