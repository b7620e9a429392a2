#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "tools/gnn-sample/model_on_graph.h"

namespace frugal::gnn {

struct PredictOptions : ModelOnGraphOptions {
  std::string output;
  bool probabilities = false;  ///< write those of all classes, too
  bool if_changed = false;
  std::string history_entry;
};

struct PredictResult {
  std::uint64_t nodes = 0;
  double read_seconds = 0, seconds = 0;
};

/// Writes the class of each node, its labels or, of a model of links, its embedding. `progress` is
/// told the share of the nodes that is done.
PredictResult predict_nodes(const PredictOptions& options,
                            const std::function<void(double)>& progress);

}  // namespace frugal::gnn
