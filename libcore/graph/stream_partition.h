#pragma once
#include <cstdint>
#include <vector>

#include "libcore/graph/partition_options.h"
#include "libcore/graph/weighted_graph.h"

namespace frugal {

/// partition_graph() for ldg and fennel. The first pass places each node by its neighbours placed
/// before; later passes remove and place each node again. capacity: largest weight of a part.
std::vector<NodeId> stream_partition(const WeightedView& graph, std::uint64_t capacity,
                                     const PartitionOptions& options);

}  // namespace frugal
