#pragma once
#include <string>

#include "libcore/graph/partition.h"

namespace frugal::gnn {

struct PartitionCommandOptions {
  std::string graph;
  std::string output = "-";
  std::string method = "multilevel";
  std::string balance = "nodes";  ///< what parts are to have equally much of: or edges, train
  PartitionOptions partition{.parts = 0};
  bool if_changed = false;
  std::string history_entry;
};

struct PartitionResult {
  std::uint64_t nodes = 0, edges = 0;
  bool has_split = false;
  PartitionQuality quality;
  double seconds = 0;  ///< of finding the parts
};

/// Writes the part of each node of a graph file: a document with `partition` U32 [nodes]. Fails
/// (usage) for more parts than nodes, or where training nodes are to be balanced and there are
/// none.
PartitionResult partition(const PartitionCommandOptions& options);

}  // namespace frugal::gnn
