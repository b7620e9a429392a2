#pragma once
#include "libcore/graph/weighted_graph.h"

namespace frugal {

/// Clusters of label propagation, none heavier than max_weight (but single nodes): clusters[v] in
/// [0, count). Nodes without edges are clustered, too.
struct Clusters {
  std::vector<NodeId> of;
  NodeId count = 0;
};
Clusters find_clusters(const WeightedView& graph, std::uint64_t max_weight);

/// One node a cluster, with the weight of its members; one edge between clusters, with the weight
/// of theirs.
WeightedGraph contract(const WeightedView& graph, const Clusters& clusters);

}  // namespace frugal
