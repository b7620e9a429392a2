#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/graph/csr.h"
#include "libcore/graph/graph.h"

namespace frugal {

/// new_ids[v] by Rabbit Order (Arai et al., IPDPS 2016, algorithms 2 to 4), on one thread. In
/// ascending degree, each node joins the neighbouring community with the largest gain of
/// modularity. The order is a depth-first walk of the tree of these joins. `graph` must be
/// undirected.
Array<NodeId> rabbit_order(const CsrView& graph);

/// Orders of nodes that place nodes read together near each other. degree: highest first, so that
/// the rows read most share pages. rcm: reverse Cuthill-McKee (1969), breadth first from nodes of
/// low degree, neighbours by ascending degree, then reversed. rabbit: nested communities are
/// contiguous (Arai et al., "Rabbit Order", IPDPS 2016).
enum class NodeOrder : std::uint8_t { degree, rcm, rabbit };

/// Nodes by ascending degree, then by ascending id.
std::vector<NodeId> nodes_by_degree(const CsrView& graph);

/// new_ids[v] of each node; independent of the number of threads. For rcm and rabbit each edge
/// should be in both rows: see undirected_graph().
Array<NodeId> order_nodes(const CsrView& graph, NodeOrder order);

/// Renumbers a graph: node v becomes new_ids[v], with the same edges and their attributes, in
/// sorted rows. new_ids: a permutation [nodes].
Graph permute_graph(const Graph& graph, std::span<const NodeId> new_ids);

/// Graph with each edge once in both directions and without self loops, as clustering and
/// partitioning expect. Takes 16 bytes per edge while it works.
Graph undirected_graph(const CsrView& graph);

}  // namespace frugal
