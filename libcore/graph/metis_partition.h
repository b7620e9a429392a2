#pragma once
#include "libcore/graph/partition_options.h"
#include "libcore/graph/weighted_graph.h"

namespace frugal {

/// partition_graph() for multilevel: METIS's recursive bisection with a constraint for each group
/// (Karypis and Kumar, SC 1998), then refine(). capacities: as refine() takes them.
/// Fails (usage) where edges, weights, or nodes times groups exceed METIS's integers.
std::vector<NodeId> metis_partition(const WeightedView& graph,
                                    std::span<const std::uint64_t> capacities,
                                    const PartitionOptions& options);

}  // namespace frugal
