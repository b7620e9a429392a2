#pragma once
#include "libcore/graph/partition_options.h"
#include "libcore/graph/weighted_graph.h"

namespace frugal {

/// partition_graph() for multilevel: METIS's recursive bisection, then refine(). `capacity`: of a
/// part, in weight. Fails (usage) where edges or weights exceed METIS's integers.
std::vector<NodeId> metis_partition(const WeightedView& graph, std::uint64_t capacity,
                                    const PartitionOptions& options);

}  // namespace frugal
