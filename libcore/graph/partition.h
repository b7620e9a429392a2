#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/graph/csr.h"
#include "libcore/graph/partition_options.h"

namespace frugal {

/// The part of each node. Each edge should be in both rows (see undirected_graph()). weights
/// [nodes]: what the parts are to have equally much of; empty: 1 each. Parts are as balanced as
/// options.imbalance says wherever single nodes are not too heavy for it. Deterministic, one
/// thread.
std::vector<NodeId> partition_graph(const CsrView& graph, std::span<const std::uint32_t> weights,
                                    const PartitionOptions& options);

struct PartitionQuality {
  double cut = 0;  ///< share of edges between parts
  /// Of the heaviest part, relative to the average: 1 is perfect, 0 where there are none.
  double node_balance = 0, edge_balance = 0, marked_balance = 0;
};

/// marked: nodes to be counted apart, such as those for training; [nodes] 0 or 1, or empty. Edges
/// belong to the part of their target.
PartitionQuality measure_partition(const CsrView& graph, std::span<const NodeId> parts,
                                   std::uint32_t num_parts, std::span<const std::uint8_t> marked);

}  // namespace frugal
