#pragma once
#include "libcore/graph/build_options.h"
#include "libcore/graph/graph.h"

namespace frugal {

/// The graph of these edges: rows ascend by source or, where there are times, by time; equals stay
/// in the order of the input. Chunks are freed on the way: the peak is about the list plus its
/// offsets, twice that when symmetrized. The targets are partitioned by ranges whose counters fit
/// the L2 cache, then each range is sorted by counting, as in the propagation blocking of Beamer,
/// Asanovic and Patterson (IPDPS 2017). Same bytes for any number of threads. Fails (bad_input) at
/// ids not below num_nodes, arrays of a chunk that differ in length, summed weights beyond floats,
/// ranges with 2^32 edges and more together (of 2^18 nodes in a large graph), and (usage) at `add`
/// for edges with times.
Graph build_graph(EdgeList&& edges, const BuildOptions& options, BuildReport* report = nullptr);

}  // namespace frugal
