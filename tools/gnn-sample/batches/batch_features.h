#pragma once
#include <optional>
#include <span>
#include <string>

#include "tools/gnn-sample/batches/document_arena.h"
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

  /// Adds the features of these nodes to the document.
  void add(std::span<const NodeId> nodes, DocumentArena& to) const;

 private:
  void add_sparse(std::span<const NodeId> nodes, DocumentArena& to) const;

  const FeatureView& view_;
  RowSlicer slicer_;
  std::string type_, prefix_;
  Form form_;
  bool sparse_;
};

}  // namespace frugal::gnn
