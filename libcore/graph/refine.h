#pragma once
#include "libcore/graph/weighted_graph.h"

namespace frugal {

/// Moves single nodes to other parts with room, until few moves are left: out of parts heavier than
/// the capacity, where the edge cut gets smaller, and where it stays but loads get more equal. A
/// node that fits no other part stays. Cuts grow only where a part is too heavy. capacities: of a
/// part, in weight of each group; of several groups also of all nodes, which counts less.
void refine(const WeightedView& graph, std::span<const std::uint64_t> capacities,
            std::uint32_t num_parts, std::vector<NodeId>& parts);

}  // namespace frugal
