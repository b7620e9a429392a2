#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/base/array.h"
#include "tools/gnn-sample/data/feature_view.h"
#include "tools/gnn-sample/network/gnn_model.h"

namespace frugal::gnn {

/// The rows that the last layers of a model read of its features and all of its blocks (sage-ri),
/// for some nodes of a graph, while the blocks are made one by one.
class JoinedRows {
 public:
  /// Begins with the features of these nodes. Borrows the model.
  JoinedRows(const GnnModel& model, const FeatureView& features, std::span<const NodeId> nodes);

  /// Bytes that it takes for so many nodes.
  static std::uint64_t bytes(const GnnModel& model, std::uint64_t nodes);

  /// Takes what block `block` made for the nodes [first, first + rows.rows) of the graph.
  void store(std::size_t block, std::size_t first, MatrixView<const float> rows);
  /// The rows of these nodes, all of them among those given first, with the last block's `rows`.
  MatrixView<const float> complete(std::span<const NodeId> nodes, MatrixView<const float> rows);

 private:
  std::size_t kept_row(NodeId node) const;

  const GnnModel& model_;
  std::vector<NodeId> nodes_;  ///< ascending, each once
  Array<float> values_;
  MatrixView<float> kept_;  ///< [nodes_, columns before the last block's], of values_
  RowStore complete_;
};

}  // namespace frugal::gnn
