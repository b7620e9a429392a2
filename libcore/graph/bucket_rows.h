#pragma once
#include <span>

#include "libcore/graph/edge_buckets.h"

namespace frugal {

/// The rows of one range of nodes, one behind the other; `size` of the elements are used.
struct BucketRows {
  Array<NodeId> neighbors;
  Array<float> weights;
  Array<double> times;
  Array<EdgeId> ids;
  std::size_t size = 0;
  std::uint64_t duplicates = 0;
};

/// What a thread keeps from bucket to bucket.
struct RowWorkspace {
  int source_bits = 32;  ///< sources are below 2^source_bits
  Array<std::uint64_t> scratch;
};

/// Sorts a bucket's edges into rows as build_graph() has them and writes the length of each to
/// degrees [nodes of the range]. The bucket is freed.
BucketRows make_rows(EdgeBucket&& bucket, const BuildOptions& options, std::span<EdgeId> degrees,
                     RowWorkspace& work);

}  // namespace frugal
