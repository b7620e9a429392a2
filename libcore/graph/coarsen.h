#pragma once
#include "libcore/graph/weighted_graph.h"

namespace frugal {

/// Clusters of nodes: of[v] in [0, count).
struct Clusters {
  std::vector<NodeId> of;
  NodeId count = 0;
};

struct ClusterOptions {
  std::uint64_t max_weight = 1;   ///< of a cluster, but for single nodes
  std::span<const NodeId> parts;  ///< [nodes] clusters lie in one of them each; or empty
  std::uint64_t seed = 0;
};

/// By label propagation; nodes without edges are clustered, too.
Clusters find_clusters(const WeightedView& graph, const ClusterOptions& options);

/// One node a cluster, with the weight of its members; one edge between clusters, with the weight
/// of theirs.
WeightedGraph contract(const WeightedView& graph, const Clusters& clusters);

}  // namespace frugal
