#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "tools/gnn-sample/inference.h"
#include "tools/gnn-sample/node_metrics.h"

namespace frugal::gnn {

struct InferOptions {
  std::string model, graph;
  std::string output;         ///< "" = none
  std::string nodes = "all";  ///< as find_seeds() takes them
  std::uint64_t split = 0;
  bool probabilities = false;  ///< write those of all classes, too
  InferenceOptions inference;
  Precision precision = Precision::f32;  ///< of products
  Residence residence = Residence::automatic;
  bool if_changed = false;
  std::string history_entry;
};

struct InferResult {
  std::uint64_t nodes = 0;
  double read_seconds = 0, seconds = 0;
  std::optional<NodeMetrics> all;   ///< of all nodes asked for that have a label
  std::optional<NodeMetrics> test;  ///< of those of the test part
};

/// Says the class of each node, and how often that is right where labels are known. `progress` is
/// told the share of the nodes that is done.
InferResult infer(const InferOptions& options, const std::function<void(double)>& progress);

}  // namespace frugal::gnn
