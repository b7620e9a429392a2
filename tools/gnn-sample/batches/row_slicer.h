#pragma once
#include <cstdint>
#include <span>

#include "libcore/base/array.h"
#include "libcore/graph/csr.h"
#include "tools/gnn-sample/data/feature_view.h"

namespace frugal::gnn {

/// Copies the features of nodes one behind the other, with the zeros of sparse ones, in the type in
/// which they are stored but for i8 and arrays, whose rows become f32; on the calling thread. Rows
/// that lie scattered in memory are asked for ahead.
class RowSlicer {
 public:
  explicit RowSlicer(const FeatureView& features) : features_(features) {}

  Dtype dtype() const { return features_.dtype == Dtype::i8 ? Dtype::f32 : features_.dtype; }
  std::size_t dim() const { return features_.dim; }
  std::size_t row_bytes() const { return features_.dim * item_size(dtype()); }

  /// Fails (unavailable) where memory is short for the rows of n nodes: sparse features may be a
  /// thousand times as large with their zeros.
  void check_room(std::size_t n) const;
  /// Where the rows of n nodes go, in `room`, which is made larger.
  FeatureView make_room(std::size_t n, Array<std::byte>& room) const;
  /// to: nodes.size() * row_bytes(), as float numbers lie.
  void slice(std::span<const NodeId> nodes, std::byte* to) const;

 private:
  void slice_sparse(std::span<const NodeId> nodes, std::byte* to) const;

  FeatureView features_;
};

}  // namespace frugal::gnn
