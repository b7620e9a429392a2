#pragma once
#include <cstdint>

#include "libcore/base/array.h"
#include "libcore/graph/csr.h"

namespace frugal {

/// A graph in memory that owns its arrays.
struct Graph {
  Array<EdgeId> offsets;    ///< [nodes + 1]
  Array<NodeId> neighbors;  ///< [edges]
  Array<float> weights;     ///< [edges], or empty
  Array<double> times;      ///< [edges], or empty; then each row ascends in time
  Array<EdgeId> edge_ids;   ///< [edges] each edge's number in the input, or empty

  std::size_t num_nodes() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  std::size_t num_edges() const { return neighbors.size(); }
  CsrView csr() const {
    return {{offsets.data(), offsets.size()}, {neighbors.data(), neighbors.size()}};
  }
};

}  // namespace frugal
