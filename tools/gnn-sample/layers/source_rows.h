#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "libcore/base/view.h"
#include "libcore/graph/csr.h"
#include "libcore/kernels/kernels.h"
#include "tools/gnn-sample/data/feature_view.h"
#include "tools/gnn-sample/sampler/mini_batch.h"

namespace frugal::gnn {

/// The input of a layer, a row of numbers for each source of its block, where it lies: a matrix of
/// floats or the features of all nodes.
class SourceRows {
 public:
  SourceRows() = default;
  /// Row s belongs to source s.
  explicit SourceRows(MatrixView<const float> matrix);
  /// Row nodes[s], or s where there are no nodes, belongs to source s.
  SourceRows(const FeatureView& features, std::span<const NodeId> nodes);

  /// Row sources[s] of these belongs to source s. numbers: memory that the result borrows.
  SourceRows at(std::span<const std::uint32_t> sources, std::vector<NodeId>& numbers) const;

  std::size_t dim() const { return dim_; }
  /// Whether only numbers that are not 0 are stored; then also:
  bool sparse() const { return sparse_.sparse(); }
  bool has_values() const { return sparse_.data != nullptr; }  ///< else all are 1
  /// How many those of sources [0, n) are.
  std::uint64_t stored_numbers(std::size_t n) const;
  /// Calls body(source, its columns, their values or null where all are 1) for sources [begin, end)
  /// in order, on the calling thread.
  template <class Body>
  void for_each_sparse(std::size_t begin, std::size_t end, const Body& body) const {
    thread_local std::vector<float> room;
    for (std::size_t s = begin; s < end; ++s) {
      const std::size_t r = number(s);
      body(s, sparse_.row_columns(r), sparse_.row_values(r, room));
    }
  }

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
  std::size_t number(std::size_t source) const {
    return nodes_ == nullptr ? source : nodes_[source];
  }
  void add_sparse(std::size_t source, float weight, float* row) const;
  void aggregate_sparse(const Block& block, std::size_t begin, std::size_t end,
                        const Weighing& weighing, MatrixView<float> out) const;
  void largest_sparse(const Block& block, std::size_t begin, std::size_t end, MatrixView<float> out,
                      std::uint32_t* edges) const;

  RowType type_ = RowType::f32;
  const void* data_ = nullptr;
  std::size_t stride_ = 0, dim_ = 0;
  const float* scales_ = nullptr;
  const NodeId* nodes_ = nullptr;
  FeatureView sparse_;  ///< where features are sparse
};

/// Weighing of the mean of the neighbours of targets [begin, end). If the block has weights, writes
/// the weight of each edge, divided by the sum of its target's, to `shares` [edges]; without a sum,
/// 0.
SourceRows::Weighing mean_weighing(const Block& block, std::size_t begin, std::size_t end,
                                   std::vector<float>& shares);

/// Copies rows [begin, end) of features of any kind to out, as floats, on the calling thread.
void copy_features(const FeatureView& features, std::size_t begin, std::size_t end,
                   MatrixView<float> out);

}  // namespace frugal::gnn
