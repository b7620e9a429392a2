#pragma once
#include <span>

#include "libcore/graph/edge_buckets.h"

namespace frugal {

/// The adjacency rows of a range of nodes, one after another. The arrays may be longer than `size`.
struct BucketRows {
  Array<NodeId> neighbors;
  Array<float> weights;
  Array<double> times;
  Array<EdgeId> ids;
  std::size_t size = 0;
  std::uint64_t duplicates = 0;
};

/// Working memory of a thread, reused from bucket to bucket.
struct RowWorkspace {
  int source_bits = 32;  ///< sources are below 2^source_bits
  Array<std::uint64_t> scratch;
};

/// Sorts a bucket's edges into rows in the order of build_graph(). Writes the length of each row to
/// degrees [nodes of the range] and frees the bucket.
BucketRows make_rows(EdgeBucket&& bucket, const BuildOptions& options, std::span<EdgeId> degrees,
                     RowWorkspace& work);

}  // namespace frugal
