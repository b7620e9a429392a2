#pragma once
#include <cstdint>

#include "tools/gnn-sample/data/graph_content.h"

namespace frugal::gnn {

/// Hash of node_text(): of a name, or of an id or number.
std::uint64_t node_key(const NodeSet& nodes, std::size_t node);

}  // namespace frugal::gnn
