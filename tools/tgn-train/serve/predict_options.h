#pragma once
#include <cstddef>
#include <string>

#include "libcore/kernels/gemm.h"
#include "tools/tgn-train/data/event_layout.h"

namespace frugal::tgn {

/// Options of `tgn-train predict`.
struct PredictOptions {
  std::string model;
  std::string events = "-";  ///< text
  std::string output = "-";
  std::string answers = "csv";  ///< csv, or json: an object in each line
  std::string task = "auto";    ///< link, node-label, event-label, or auto: labels or link
  EventLayoutOptions layout;
  /// number, any, or auto: as history or state, otherwise as in EventIds
  std::string ids = "auto";
  /// yes, no, or auto: as history or state, otherwise by the format
  std::string bipartite = "auto";
  std::string history;            ///< events file of the past, or ""
  std::string state;              ///< state of an earlier run, or ""
  std::string save_state;         ///< file to write, or ""
  std::string ties = "auto";      ///< strict, order, or auto: strict
  std::string on_error = "stop";  ///< stop, or skip: skips invalid lines
  bool logits = false;            ///< scores are logits, not probabilities
  bool query = false;             ///< events are questions: they are not applied to the memory
  bool rank = false;              ///< with query: answers with the rank of each line's destination
  std::size_t top = 0;  ///< with query: number of best destinations to answer instead of the line's
  std::size_t batch = 0;  ///< 0: 200, or the training's batch size if it affects scores
  Precision precision = Precision::f32;
  std::string history_entry;
};

}  // namespace frugal::tgn
