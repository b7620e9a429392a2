#pragma once
#include "libcore/graph/weighted_graph.h"

namespace frugal {

/// What a cut is judged by, the first difference deciding.
struct CutState {
  std::uint64_t overload = 0;  ///< weight above the capacity, all parts together
  std::uint64_t cut = 0;       ///< weight of edges between parts
  auto operator<=>(const CutState&) const = default;  // NOLINT(modernize-use-nullptr)
};

/// Makes the cut smaller, and parts fit into their capacities [parts], by moves of single nodes:
/// greedy ones until none gains, then sequences that may lose at first (Fiduccia and Mattheyses,
/// DAC 1982, with any number of parts), of which the best beginning stays. The result is never
/// worse.
CutState refine(const WeightedView& graph, std::span<const std::uint64_t> capacities,
                std::vector<NodeId>& parts);

}  // namespace frugal
