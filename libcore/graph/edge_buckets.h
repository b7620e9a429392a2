#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/graph/build_options.h"
#include "libcore/graph/graph.h"

namespace frugal {

/// The edges into one range of nodes, in the order of the input.
struct EdgeBucket {
  /// Upper 32 bits: target - first node of the range; lower 32 bits: source.
  Array<std::uint64_t> keys;
  Array<float> weights;  ///< one per key, as the arrays below; or empty
  Array<double> times;
  Array<EdgeId> ids;

  std::size_t size() const { return keys.size(); }
};

/// Division of the nodes into ranges of 2^bits.
struct NodeRanges {
  std::uint64_t num_nodes = 0;
  int bits = 0;

  /// Chooses ranges whose 32-bit counters take at most 1 MiB, half of an L2 cache, and enough of
  /// them for all cores.
  static NodeRanges of(std::uint64_t num_nodes);
  std::size_t count() const { return ((num_nodes + (std::uint64_t{1} << bits)) - 1) >> bits; }
  std::uint64_t begin(std::size_t range) const { return std::uint64_t{range} << bits; }
  std::uint64_t end(std::size_t range) const {
    return std::min(num_nodes, begin(range) + (std::uint64_t{1} << bits));
  }
};

/// Distributes the edges to the ranges of their targets: both directions if options.symmetrize, and
/// no self loops if these are removed. Frees each chunk after use. Fails as build_graph() does.
std::vector<EdgeBucket> partition_edges(EdgeList&& edges, const BuildOptions& options,
                                        const NodeRanges& ranges);

}  // namespace frugal
