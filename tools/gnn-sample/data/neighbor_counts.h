#pragma once
#include <cstdint>
#include <vector>

#include "libcore/graph/csr.h"

namespace frugal::gnn {

/// The in-degree of each node, edges from a node to itself left out: what GCN normalises with.
std::vector<std::uint32_t> neighbor_counts(const CsrView& graph);

}  // namespace frugal::gnn
