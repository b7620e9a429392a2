#pragma once
#include <cstdint>
#include <vector>

#include "libcore/graph/partition_options.h"
#include "libcore/graph/weighted_graph.h"

namespace frugal {

/// partition_graph() for ldg. The first pass places each node by its neighbours placed
/// before; later passes remove and place each node again. capacities: largest weight of a part in
/// each group; of several groups also of all nodes, which counts less.
std::vector<NodeId> stream_partition(const WeightedView& graph,
                                     std::span<const std::uint64_t> capacities,
                                     const PartitionOptions& options);

}  // namespace frugal
