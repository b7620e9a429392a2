#pragma once
#include <optional>
#include <span>
#include <string>

#include "libcore/tensors/tensor_file.h"
#include "tools/gnn-sample/batches/row_slicer.h"
#include "tools/gnn-sample/data/graph_content.h"

namespace frugal::gnn {

/// Features of a mini-batch's nodes of one type, as tensors: `features`, a row each, or
/// where the graph keeps them sparse `features.offsets`, `features.columns` and, unless all are 1,
/// `features.values`, as graph files do; the metadata then have the number of columns.
class BatchFeatures {
 public:
  struct Form {
    bool dense = false;     ///< with the zeros of sparse features
    bool wide_ids = false;  ///< offsets and columns of I64 instead of I32
  };
  /// Borrows the set, which has features; the prefix goes before the tensors' names.
  BatchFeatures(const NodeSet& nodes, std::string prefix, Form form);

  bool sparse() const { return sparse_; }
  /// Room that dense rows of n nodes take; 0 where they are sparse.
  std::size_t room(std::size_t n) const { return sparse_ ? 0 : n * slicer_.row_bytes(); }
  void check_room(std::size_t n) const { slicer_.check_room(n); }
  /// Adds the features of these nodes; dense rows lie at `to`, which the document borrows.
  void add(std::span<const NodeId> nodes, std::byte* to, Document& document) const;

 private:
  void add_sparse(std::span<const NodeId> nodes, Document& document) const;
  Tensor integers(const char* name, std::uint64_t size) const;

  const FeatureView& view_;
  RowSlicer slicer_;
  std::string type_, prefix_;
  Form form_;
  bool sparse_;
};

}  // namespace frugal::gnn
