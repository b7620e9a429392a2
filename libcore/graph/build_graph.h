#pragma once
#include "libcore/graph/build_options.h"
#include "libcore/graph/graph.h"

namespace frugal {

/// Builds a graph from a list of edges. Rows ascend by source or, if there are times, by time;
/// equal ones keep the order of the input. Chunks are freed on the way: peak memory is about the
/// list plus its offsets, twice that when symmetrized.
///
/// The targets are partitioned by ranges whose counters fit the L2 cache; then each range is sorted
/// by counting, as in the propagation blocking of Beamer, Asanovic and Patterson (IPDPS 2017). The
/// bytes do not depend on the number of threads.
///
/// Fails (bad_input) at ids not below num_nodes, arrays of a chunk that differ in length, summed
/// weights beyond floats, and ranges (2^18 nodes in a large graph) with 2^32 edges or more. Fails
/// (usage) at `add` for edges with times.
Graph build_graph(EdgeList&& edges, const BuildOptions& options, BuildReport* report = nullptr);

}  // namespace frugal
