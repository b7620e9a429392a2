#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/base/view.h"
#include "libcore/graph/csr.h"
#include "tools/gnn-sample/data/feature_view.h"
#include "tools/gnn-sample/network/gnn_model.h"

namespace frugal::gnn {

/// The outputs of a layer for all nodes of a graph, f32 or bf16.
class LayerOutputs {
 public:
  LayerOutputs() = default;
  LayerOutputs(Dtype dtype, std::size_t nodes, std::size_t dim);

  /// Those of the nodes from `first` on.
  void store(std::size_t first, MatrixView<const float> rows);
  FeatureView view() const;

 private:
  Dtype dtype_ = Dtype::f32;
  std::size_t nodes_ = 0, dim_ = 0;
  Array<std::byte> bytes_;
};

/// Splits nodes into some at a time, each with all of its neighbours: a block of one hop.
class NeighborhoodChunks {
 public:
  /// Up to that many edges and targets, but a target at least.
  static constexpr std::size_t kMaxEdges = std::size_t{1} << 21, kMaxTargets = std::size_t{1} << 16;

  /// degrees: neighbor_counts() of the graph, borrowed.
  NeighborhoodChunks(const CsrView& graph, std::span<const std::uint32_t> degrees,
                     std::size_t max_edges)
      : graph_(graph), all_degrees_(degrees), max_edges_(max_edges), places_(graph.num_nodes()) {}

  /// Of these nodes; none: of all of the graph.
  void begin(std::span<const NodeId> nodes);
  /// Sets what is of the block: blocks, nodes and degrees; false at the end.
  bool next(GnnBatch& batch);
  /// Place of the block's first target among the nodes.
  std::size_t first() const { return first_; }

 private:
  std::uint32_t place(NodeId node);

  CsrView graph_;
  std::span<const std::uint32_t> all_degrees_;
  std::size_t max_edges_;
  std::span<const NodeId> targets_;
  std::size_t first_ = 0, next_ = 0;
  std::vector<std::uint32_t> places_;  ///< of each node among nodes_, if it is there
  std::vector<NodeId> nodes_;
  std::vector<std::uint32_t> offsets_, neighbors_, degrees_;
  Block block_;
};

}  // namespace frugal::gnn
