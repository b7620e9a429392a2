#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "tools/tgn-train/data/event_layout.h"

namespace frugal::tgn {

struct ImportOptions {
  std::string events, output;
  EventLayoutOptions layout;
  std::string ids = "auto";        ///< auto, number or any: see EventIds
  std::string bipartite = "auto";  ///< auto, yes or no
  std::string edge_features, node_features;
  std::string feature_type = "f32";
  std::uint64_t nodes = 0;  ///< 0: as in the input
  bool sort = false;
  std::string history_entry;
};

struct ImportReport {
  std::string format;
  std::uint64_t nodes = 0, sources = 0, active_nodes = 0;  ///< sources: 0 for nodes of one kind
  bool shifted = false;                                    ///< see NodeKinds
  std::uint64_t first_id = 0;
  bool names = false;  ///< ids are names, which the file stores
  std::uint64_t events = 0, distinct_times = 0;
  std::uint64_t labelled = 0;  ///< events with label 1 or, of classes and numbers, with a label
  LabelType label_type = LabelType::binary;
  std::uint64_t classes = 0;           ///< of labels
  std::uint64_t no_classes = 0;        ///< labels that are words for a missing value, not classes
  std::uint64_t types = 0;             ///< edge types; 0: events have none
  bool dates = false;                  ///< times were dates; they count seconds since 1970
  std::uint64_t missing_features = 0;  ///< without a value in the text; stored as 0
  bool sorted = false;                 ///< events were out of order and were sorted
  bool whole_times = true;             ///< times are i64, otherwise f64
  double first_time = 0, last_time = 0;
  std::int64_t first_whole = 0, last_whole = 0;  ///< exact values of whole times
  std::uint64_t edge_features = 0, node_features = 0;
};

/// Called with the present task and the number of bytes read.
using ImportProgress = std::function<void(const std::string& task, std::uint64_t bytes)>;

/// Reads events, their features and their nodes' features, checks everything, and writes an events
/// file. Fails with the file and line of the error.
ImportReport import_events(const ImportOptions& options, const ImportProgress& progress);

}  // namespace frugal::tgn
