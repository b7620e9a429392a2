#pragma once
#include "libcore/graph/partition_options.h"
#include "libcore/graph/weighted_graph.h"

namespace frugal {

/// partition_graph() for multilevel. `capacity`: of a part, in weight.
std::vector<NodeId> multilevel_partition(const WeightedView& graph, std::uint64_t capacity,
                                         const PartitionOptions& options);

}  // namespace frugal
