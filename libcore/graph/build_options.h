#pragma once
#include <cstdint>

#include "libcore/graph/graph.h"

namespace frugal {

/// Treatment of edges from a node to itself: kept or removed. `add` keeps them, and gives each node
/// without one an edge of weight 1 and number kAddedEdge.
enum class SelfLoops : std::uint8_t { keep, remove, add };
/// Weight of the edge that BuildOptions::dedupe keeps: its own, or the sum over its duplicates.
enum class MergeWeights : std::uint8_t { first, sum };

inline constexpr EdgeId kAddedEdge = ~EdgeId{0};

struct BuildOptions {
  /// Insert each edge into the rows of both of its nodes, but a self loop only once.
  bool symmetrize = false;
  /// Keep one edge for each source and target: the earliest if edges have times, else the first in
  /// the input.
  bool dedupe = false;
  MergeWeights merge = MergeWeights::first;
  SelfLoops self_loops = SelfLoops::keep;
  bool edge_ids = false;  ///< keep each edge's number in the input
};

/// Counts that build_graph() reports.
struct BuildReport {
  std::uint64_t self_loops = 0;  ///< number of self loops in the input
  /// Number of edges with the source and target of an earlier edge; with symmetrize, both
  /// directions count. It stays 0 if edges have times and duplicates are kept.
  std::uint64_t duplicates = 0;
  std::uint64_t isolated = 0;  ///< number of nodes without any edge
};

}  // namespace frugal
