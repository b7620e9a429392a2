#include "tools/gnn-sample/inputs/node_key.h"

#include "libcore/base/hash.h"
#include "tools/gnn-sample/data/node_lookup.h"

namespace frugal::gnn {

std::uint64_t node_key(const NodeSet& nodes, std::size_t node) {
  if (!nodes.name_offsets.empty()) return hash_bytes(node_name(nodes, node));
  return mix64(nodes.ids.empty() ? node : nodes.ids[node]);
}

}  // namespace frugal::gnn
