#pragma once
#include <span>
#include <string>

#include "tools/gnn-sample/data/stored_graph.h"

namespace frugal::gnn {

/// Hash of the graph's edges, labels and split, and of some of its features.
std::string graph_fingerprint(const StoredGraph& graph);
/// Hash of the graph's edges only, without their weights or times.
std::string edges_fingerprint(const CsrView& csr);
/// Hash of the edges of all types and of their names.
std::string edges_fingerprint(std::span<const EdgeSet> types);

}  // namespace frugal::gnn
