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

/// How parts divide a type of nodes: the load of each part.
struct NodeTypeLoads {
  std::string type;
  std::vector<std::uint64_t> nodes;
  std::vector<std::uint64_t> edges;   ///< of these nodes in JoinedTypes::graph
  std::vector<std::uint64_t> marked;  ///< marked nodes
};
/// How well parts cut a type of edges.
struct EdgeTypeCut {
  std::string type;
  std::uint64_t size = 0;  ///< edges
  double cut = 0;          ///< share of them
};
struct JoinedQuality {
  std::vector<NodeTypeLoads> nodes;
  std::vector<EdgeTypeCut> edges;
  double cut = 0, edge_balance = 0;  ///< of edges of all types, as in PartitionQuality
};
/// parts: of the nodes of `joined`. marked: as in measure_partition().
JoinedQuality measure_types(const GraphContent& content, const JoinedTypes& joined,
                            const std::vector<NodeId>& parts, std::uint32_t num_parts,
                            const std::vector<std::uint8_t>& marked);

}  // namespace frugal::gnn
