#pragma once
#include "libcore/graph/partition.h"
#include "libcore/graph/weighted_graph.h"

namespace frugal {

/// Parts of a small graph by halving it, and the halves again. `capacity`: of a part, in weight;
/// kept unless single nodes are too heavy for it.
std::vector<NodeId> recursive_bisection(const WeightedView& graph, std::uint64_t capacity,
                                        const PartitionOptions& options);

}  // namespace frugal
