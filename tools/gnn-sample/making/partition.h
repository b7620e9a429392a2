#pragma once
#include <optional>
#include <string>
#include <vector>

#include "libcore/graph/partition.h"
#include "tools/gnn-sample/making/joined_types.h"

namespace frugal::gnn {

struct PartitionCommandOptions {
  std::string graph;
  std::string output = "-";
  std::string method = "multilevel";
  /// Quantity that is balanced among parts: nodes, edges, or train (the training nodes).
  std::string balance = "nodes";
  PartitionOptions partition{.parts = 0};
  std::string history_entry;
};

struct PartitionResult {
  std::uint64_t nodes = 0, edges = 0;
  bool has_split = false;              ///< the graph has training nodes, so marked_balance is known
  PartitionQuality quality;            ///< marked nodes are the training nodes
  std::optional<JoinedQuality> types;  ///< set for graphs of several types
  double seconds = 0;                  ///< time of partitioning, without reading and writing
};

/// Partitions a graph file and writes a document with the tensor `partition`, U32 [nodes]: the part
/// of each node. With several types of nodes it has a tensor `nodes/TYPE/partition` for each: all
/// types are partitioned together, and each is balanced separately. Fails (usage) if there are more
/// parts than nodes, or if `balance` is "train" and the graph has no training nodes.
PartitionResult partition(const PartitionCommandOptions& options);

}  // namespace frugal::gnn
