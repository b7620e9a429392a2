#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/graph/csr.h"
#include "libcore/graph/partition_options.h"

namespace frugal {

/// Assigns each node to a part. Each edge should be in both rows (see undirected_graph()). weights
/// [nodes] are balanced between parts; empty: 1 each. groups [nodes]: balances the weights of each
/// group of nodes separately; empty: all are one group. Parts keep within options.imbalance unless
/// single nodes are too heavy; with several groups, some may not. Deterministic, on one thread.
std::vector<NodeId> partition_graph(const CsrView& graph, std::span<const std::uint32_t> weights,
                                    const PartitionOptions& options,
                                    std::span<const std::uint32_t> groups = {});

/// Largest weight that a part should have of all nodes or of a group: options.imbalance times the
/// mean, rounded up.
std::uint64_t part_capacity(std::uint64_t weight, const PartitionOptions& options);
/// The largest load relative to the mean; 0 if there is none.
double load_balance(const std::vector<std::uint64_t>& loads);

struct PartitionQuality {
  double cut = 0;  ///< share of edges between parts
  /// Weight of the heaviest part relative to the average: 1 is perfect, 0 if there is no weight.
  double node_balance = 0, edge_balance = 0, marked_balance = 0;
};

/// Measures a partition. marked: nodes counted separately, such as training nodes; [nodes] 0 or 1,
/// or empty. An edge belongs to the part of its target.
PartitionQuality measure_partition(const CsrView& graph, std::span<const NodeId> parts,
                                   std::uint32_t num_parts, std::span<const std::uint8_t> marked);

}  // namespace frugal
