#pragma once
#include <cstdint>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/graph/csr.h"

namespace frugal {

/// Edges source -> target in the order of the input. Readers fill chunks, and the builder of a
/// graph frees them one by one. So a list and its graph are never both in memory.
struct EdgeChunk {
  std::vector<NodeId> sources, targets;
  std::vector<float> weights;  ///< one per edge, or empty
  std::vector<double> times;   ///< one per edge, or empty

  std::size_t size() const { return sources.size(); }
};

struct EdgeList {
  std::uint64_t num_nodes = 0;  ///< ids are below this; at most 2^32 - 1
  std::vector<EdgeChunk> chunks;
  bool dates = false;  ///< times were dates in the input and count seconds since 1970

  std::uint64_t num_edges() const {
    std::uint64_t n = 0;
    for (const EdgeChunk& chunk : chunks) n += chunk.size();
    return n;
  }
};

/// A graph in memory that owns its arrays.
struct Graph {
  Array<EdgeId> offsets;    ///< [nodes + 1]
  Array<NodeId> neighbors;  ///< [edges]
  Array<float> weights;     ///< [edges], or empty
  Array<double> times;      ///< [edges], or empty; then each row ascends in time
  Array<EdgeId> edge_ids;   ///< [edges] number of each edge in the input, or empty

  std::size_t num_nodes() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  std::size_t num_edges() const { return neighbors.size(); }
  CsrView csr() const {
    return {{offsets.data(), offsets.size()}, {neighbors.data(), neighbors.size()}};
  }
};

}  // namespace frugal
