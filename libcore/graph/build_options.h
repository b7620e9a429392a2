#pragma once
#include <cstdint>

#include "libcore/graph/graph.h"

namespace frugal {

/// Treatment of edges from a node to itself: kept or removed. `add` keeps them, and gives each node
/// without one an edge of weight 1 and number kAddedEdge.
enum class SelfLoops : std::uint8_t { keep, remove, add };
/// The weight of an edge that was several in the input.
enum class MergeWeights : std::uint8_t { first, sum };

inline constexpr EdgeId kAddedEdge = ~EdgeId{0};

struct BuildOptions {
  bool symmetrize = false;  ///< each edge in both rows, a self loop once
  bool dedupe = false;      ///< one edge from a source to a target: the earliest, else the first
  MergeWeights merge = MergeWeights::first;
  SelfLoops self_loops = SelfLoops::keep;
  bool edge_ids = false;  ///< keep each edge's number in the input
};

/// Counts that build_graph() reports.
struct BuildReport {
  std::uint64_t self_loops = 0;  ///< in the input
  /// Edges of the graph, both directions, whose source and target an earlier one has; not counted
  /// where rows ascend in time and duplicates stay.
  std::uint64_t duplicates = 0;
  std::uint64_t isolated = 0;  ///< nodes without an edge, in or out, in the graph
};

}  // namespace frugal
