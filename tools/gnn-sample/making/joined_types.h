#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "libcore/graph/graph.h"
#include "tools/gnn-sample/data/graph_content.h"

namespace frugal::gnn {

/// All types of nodes and of edges as one undirected graph: nodes are numbered type by type, and
/// two nodes have one edge if any relation joins them.
struct JoinedTypes {
  std::vector<std::uint64_t> first;  ///< [types + 1] number of the first node of each type
  std::vector<std::uint32_t> types;  ///< [nodes] type of each node
  Graph graph;
};
/// Fails (unavailable) if the types have more nodes together than ids can tell apart.
JoinedTypes join_types(const GraphContent& content);

/// How well parts cut a type of nodes or of edges.
struct TypeQuality {
  std::string type;
  std::uint64_t size = 0;  ///< nodes or edges
  double value = 0;        ///< nodes of the largest part relative to the mean; share of cut edges
};
struct JoinedQuality {
  std::vector<TypeQuality> nodes, edges;
  double cut = 0, edge_balance = 0;  ///< of edges of all types, as in PartitionQuality
};
/// parts: of the nodes of `joined`.
JoinedQuality measure_types(const GraphContent& content, const JoinedTypes& joined,
                            const std::vector<NodeId>& parts, std::uint32_t num_parts);

}  // namespace frugal::gnn
