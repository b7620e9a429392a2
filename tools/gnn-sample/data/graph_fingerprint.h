#pragma once
#include <string>

#include "tools/gnn-sample/data/stored_graph.h"

namespace frugal::gnn {

/// A hash of the graph's edges, labels and split, and of some of its features.
std::string graph_fingerprint(const StoredGraph& graph);
/// Of its edges alone, without what is known about them.
std::string edges_fingerprint(const CsrView& csr);

}  // namespace frugal::gnn
