#pragma once
#include <cstddef>
#include <span>

#include "libcore/base/view.h"
#include "libcore/graph/csr.h"
#include "libcore/kernels/kernels.h"
#include "tools/gnn-sample/data/feature_view.h"
#include "tools/gnn-sample/sampler/block.h"

namespace frugal {

/// The input of a layer, a row of numbers for each source of its block, where it lies: a matrix of
/// floats or the features of all nodes.
class SourceRows {
 public:
  SourceRows() = default;
  /// Row s belongs to source s.
  explicit SourceRows(MatrixView<const float> matrix);
  /// Row nodes[s], or s where there are no nodes, belongs to source s.
  SourceRows(const FeatureView& features, std::span<const NodeId> nodes);

  std::size_t dim() const { return dim_; }
  /// The rows of sources [begin, end), as floats.
  void copy(std::size_t begin, std::size_t end, MatrixView<float> out) const;

  /// The rows of these sources, as floats.
  void gather(std::span<const std::uint32_t> sources, MatrixView<float> out) const;

  /// How an edge's row is weighed: weights, one an edge of the block from its first on, or null.
  struct Weighing {
    const float* weights = nullptr;
    bool mean = false;
    bool add = false;  ///< to what is in `out`
  };
  /// out row t - begin = the sum over the neighbours of target t in [begin, end).
  void aggregate(const Block& block, std::size_t begin, std::size_t end, const Weighing& weighing,
                 MatrixView<float> out) const;

  /// out row t - begin = the largest numbers of the neighbours' rows, 0 without neighbours; edges,
  /// rows as far apart as those of `out`: the edge that each is from, counted from the first of
  /// target `begin`, or kEmptySegment.
  void largest(const Block& block, std::size_t begin, std::size_t end, MatrixView<float> out,
               std::uint32_t* edges) const;

 private:
  SegmentSum edge_segments(const Block& block, std::size_t begin, std::size_t end,
                           MatrixView<float> out) const;
  SegmentSum segments(MatrixView<float> out) const;

  RowType type_ = RowType::f32;
  const void* data_ = nullptr;
  std::size_t stride_ = 0, dim_ = 0;
  const float* scales_ = nullptr;
  const NodeId* nodes_ = nullptr;
};

}  // namespace frugal
