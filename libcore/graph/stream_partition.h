#pragma once
#include <cstdint>
#include <vector>

#include "libcore/graph/partition_options.h"
#include "libcore/graph/weighted_graph.h"

namespace frugal {

/// partition_graph() for ldg: the first pass places node after node by its neighbours
/// placed before, later ones take each out and place it again. `capacity`: of a part, in weight.
std::vector<NodeId> stream_partition(const WeightedView& graph, std::uint64_t capacity,
                                     const PartitionOptions& options);

}  // namespace frugal
