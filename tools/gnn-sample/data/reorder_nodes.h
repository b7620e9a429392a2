#pragma once
#include <span>

#include "libcore/graph/node_names.h"
#include "tools/gnn-sample/data/node_data.h"

namespace frugal::gnn {

/// What is known of each node moves with it from v to new_ids[v].
void reorder_nodes(std::span<const NodeId> new_ids, NodeData& data);
NodeNames reorder_names(std::span<const NodeId> new_ids, const NodeNames& names);
/// Of each new node the old one.
std::vector<std::uint64_t> old_ids(std::span<const NodeId> new_ids);

}  // namespace frugal::gnn
