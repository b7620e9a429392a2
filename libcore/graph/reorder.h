#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/graph/csr.h"
#include "libcore/graph/graph.h"

namespace frugal {

/// new_ids[v] by Rabbit Order (Arai et al., IPDPS 2016, algorithms 2 to 4), one thread: nodes in
/// ascending degree each join the neighbouring community with the largest gain of modularity; the
/// tree of who joined whom, walked depth first, is the order. `graph` is undirected.
Array<NodeId> rabbit_order(const CsrView& graph);

/// Orders of nodes that bring what is read together near each other. degree: highest first, so that
/// the rows read most share their pages. rcm: reverse Cuthill-McKee (1969): breadth first from
/// nodes of low degree, neighbours by ascending degree, the whole reversed. rabbit: communities of
/// communities side by side (Arai et al., "Rabbit Order", IPDPS 2016).
enum class NodeOrder : std::uint8_t { degree, rcm, rabbit };

/// The nodes in ascending degree, equals in ascending id.
std::vector<NodeId> nodes_by_degree(const CsrView& graph);

/// new_ids[v] of each node, whatever the number of threads. For rcm and rabbit each edge should be
/// in both rows: see undirected_graph().
Array<NodeId> order_nodes(const CsrView& graph, NodeOrder order);

/// The graph whose node new_ids[v] is node v of `graph`: same edges, with what they have, rows in
/// order again. new_ids: a permutation [nodes].
Graph permute_graph(const Graph& graph, std::span<const NodeId> new_ids);

/// The graph with each edge in both directions once and no self loops: what communities and parts
/// are looked for in. Takes 16 bytes an edge for a while.
Graph undirected_graph(const CsrView& graph);

}  // namespace frugal
