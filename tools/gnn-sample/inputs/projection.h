#pragma once
#include <cstdint>

#include "libcore/base/view.h"
#include "libcore/graph/csr.h"
#include "tools/gnn-sample/data/graph_content.h"

namespace frugal::gnn {

/// Writes a random projection of the adjacency matrix to out, [nodes, columns], on all threads. R
/// has random signs, row v a function of the seed and node_key(v). A row of the result is the sum
/// of the rows of P R, P^2 R ... P^20 R, each scaled to a mean square of 1 / 20. P is Propagation's
/// symmetric matrix. Nodes with similar neighbourhoods so have similar rows, as in FastRP (Chen et
/// al., CIKM 2019). Fails (unavailable) if memory is short.
void write_projection(const CsrView& graph, const NodeSet& nodes, std::uint64_t seed,
                      MatrixView<float> out);

}  // namespace frugal::gnn
