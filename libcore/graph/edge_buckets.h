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
  Array<std::uint64_t> keys;  ///< target - first node of the range, 32 bits, then source, 32 bits
  Array<float> weights;       ///< like the rest one a key, or empty
  Array<double> times;
  Array<EdgeId> ids;

  std::size_t size() const { return keys.size(); }
};

/// Ranges of 2^bits nodes.
struct NodeRanges {
  std::uint64_t num_nodes = 0;
  int bits = 0;

  /// Ranges whose 32-bit counters take 1 MiB at most, half of an L2 cache, and enough of them for
  /// all cores.
  static NodeRanges of(std::uint64_t num_nodes);
  std::size_t count() const { return ((num_nodes + (std::uint64_t{1} << bits)) - 1) >> bits; }
  std::uint64_t begin(std::size_t range) const { return std::uint64_t{range} << bits; }
  std::uint64_t end(std::size_t range) const {
    return std::min(num_nodes, begin(range) + (std::uint64_t{1} << bits));
  }
};

/// Deals the edges out to the ranges of their targets, both directions if asked for, without self
/// loops where these are removed; frees each chunk when it is done. Fails as build_graph().
std::vector<EdgeBucket> partition_edges(EdgeList&& edges, const BuildOptions& options,
                                        const NodeRanges& ranges);

}  // namespace frugal
