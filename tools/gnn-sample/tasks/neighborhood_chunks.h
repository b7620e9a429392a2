#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/graph/csr.h"
#include "tools/gnn-sample/data/neighbor_counts.h"
#include "tools/gnn-sample/network/gnn_model.h"
#include "tools/gnn-sample/sampler/mini_batch.h"

namespace frugal::gnn {

/// Divides nodes into chunks. Each chunk is a block of one hop with all neighbours of its nodes.
class NeighborhoodChunks {
 public:
  /// Limits of a chunk; it has at least one target.
  static constexpr std::size_t kMaxEdges = std::size_t{1} << 21, kMaxTargets = std::size_t{1} << 16;

  /// Borrows the graph and its data.
  NeighborhoodChunks(const CsrView& graph, const EdgeData& data, std::size_t max_edges)
      : graph_(graph), data_(data), max_edges_(max_edges), places_(graph.num_nodes()) {}

  /// Replaces the weights of the graph's edges, for the chunks that follow.
  void use_weights(std::span<const float> weights) { data_.weights = weights; }
  /// Starts with these nodes; empty: all nodes of the graph.
  void begin(std::span<const NodeId> nodes);
  /// Sets the batch's blocks, nodes and degrees of both kinds to the next chunk; false at the end.
  bool next(GnnBatch& batch);
  /// Index of the chunk's first target among the nodes.
  std::size_t first() const { return first_; }

 private:
  std::uint32_t place(NodeId node);
  void add_edges(std::size_t targets);
  void add_degrees();

  CsrView graph_;
  EdgeData data_;
  std::size_t max_edges_;
  std::span<const NodeId> targets_;
  std::size_t first_ = 0, next_ = 0;
  std::vector<std::uint32_t> places_;  ///< index of each node in nodes_, if it is there
  std::vector<NodeId> nodes_;
  std::vector<std::uint32_t> offsets_, neighbors_, degrees_;
  std::vector<float> weights_;
  std::vector<std::uint64_t> positions_;  ///< of the edges in the graph, if they have features
  std::vector<WeightedDegree> weighted_degrees_;
  Block block_;
};

}  // namespace frugal::gnn
