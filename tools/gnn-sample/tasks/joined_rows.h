#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/base/view.h"
#include "libcore/nn/row_store.h"
#include "tools/gnn-sample/data/feature_view.h"
#include "tools/gnn-sample/network/gnn_model.h"

namespace frugal::gnn {

/// Rows that the last layers of a model read which joins the results of all blocks, or their sum,
/// sage-ri after the features: for some nodes of a graph, filled block by block.
class JoinedRows {
 public:
  /// Starts with the features of these nodes if the model joins them. Borrows the model.
  JoinedRows(const GnnModel& model, const FeatureView& features, std::span<const NodeId> nodes);

  /// Bytes needed for that many nodes.
  static std::uint64_t bytes(const GnnModel& model, std::uint64_t nodes);

  /// Stores the results of a block for nodes [first, first + rows.rows) of the graph.
  void store(std::size_t block, std::size_t first, MatrixView<const float> rows);
  /// Complete rows of these nodes, with `rows` of the last block. The nodes must be among the
  /// constructor's.
  MatrixView<const float> complete(std::span<const NodeId> nodes, MatrixView<const float> rows);

 private:
  std::size_t kept_row(NodeId node) const;

  const GnnModel& model_;
  std::vector<NodeId> nodes_;  ///< ascending and distinct
  Array<float> values_;
  MatrixView<float> kept_;  ///< view of values_: [nodes_, columns before the last block's]
  RowStore complete_;
};

}  // namespace frugal::gnn
