#pragma once
#include "libcore/base/array.h"
#include "libcore/graph/csr.h"

namespace frugal {

/// new_ids[v] by Rabbit Order (Arai et al., IPDPS 2016, algorithms 2 to 4), one thread: nodes in
/// ascending degree each join the neighbouring community with the largest gain of modularity; the
/// tree of who joined whom, walked depth first, is the order. `graph` is undirected.
Array<NodeId> rabbit_order(const CsrView& graph);

}  // namespace frugal
