#pragma once
#include <cstdint>

#include "libcore/graph/graph.h"

namespace frugal {

/// Treatment of edges from a node to itself: kept or removed. `add` keeps them, and gives each node
/// without one an edge of weight 1 and number kAddedEdge.
enum class SelfLoops : std::uint8_t { keep, remove, add };
/// Weight of an edge that occurs several times in the input.
enum class MergeWeights : std::uint8_t { first, sum };

inline constexpr EdgeId kAddedEdge = ~EdgeId{0};

struct BuildOptions {
  bool symmetrize = false;  ///< insert each edge into both rows, a self loop once
  bool dedupe = false;      ///< keep one edge per source and target: the earliest, else the first
  MergeWeights merge = MergeWeights::first;
  SelfLoops self_loops = SelfLoops::keep;
  bool edge_ids = false;  ///< keep each edge's number in the input
};

/// Counts that build_graph() reports.
struct BuildReport {
  std::uint64_t self_loops = 0;  ///< in the input
  /// Edges of the graph, both directions counted, that repeat the source and target of an earlier
  /// one. Not counted if rows ascend in time and duplicates are kept.
  std::uint64_t duplicates = 0;
  std::uint64_t isolated = 0;  ///< nodes of the graph without any edge
};

}  // namespace frugal
