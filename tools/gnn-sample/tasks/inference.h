#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/base/view.h"
#include "libcore/graph/csr.h"
#include "libcore/parallel/communicator.h"
#include "tools/gnn-sample/batches/train_batch.h"
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

struct InferenceOptions {
  std::string fanouts;                       ///< "" = exactly, from whole neighbourhoods
  std::string fanouts_option = "--fanouts";  ///< what messages call them
  std::uint32_t batch_size = 1024;
  std::uint64_t seed = 0;
  std::uint64_t memory = 0;  ///< bytes that exact inference may take; 0 = what is left
  std::size_t chunk_edges = NeighborhoodChunks::kMaxEdges;  ///< some nodes at a time
  Communicator* ranks = nullptr;   ///< that share sampled mini-batches and all get the outputs
  const KeptRows* kept = nullptr;  ///< rows that these gather features from; null: they have all
};

/// Called with the outputs of nodes [first, first + rows.rows) of the list, in order.
using OutputRows = std::function<void(std::size_t first, MatrixView<const float> rows)>;

/// The outputs of a model for nodes of a graph: from sampled neighbourhoods, or exactly, for all
/// nodes of the graph layer by layer. Where memory is short these are made of some nodes at a time
/// and no more is kept than one layer of them, rounded to bf16 where that is still too much.
class Inference {
 public:
  /// Borrows the graph.
  Inference(const StoredGraph& graph, const InferenceOptions& options);

  /// Fails (usage) where the fanouts are none or not as many as the model has layers.
  void check_fits(const GnnModel& model) const;
  void run(const GnnModel& model, std::span<const NodeId> nodes, const OutputRows& rows);

 private:
  void run_whole(const GnnModel& model, std::span<const NodeId> nodes, const OutputRows& rows);
  void run_by_layers(const GnnModel& model, std::span<const NodeId> nodes, Dtype kept,
                     const OutputRows& rows);
  void run_exactly(const GnnModel& model, std::span<const NodeId> nodes, const OutputRows& rows);
  void run_sampled(const GnnModel& model, std::span<const NodeId> nodes, const OutputRows& rows);

  const StoredGraph& graph_;
  InferenceOptions options_;
  /// Looks the features of these nodes up where they are an array.
  FeatureView look_up(std::span<const NodeId> nodes);

  // Of the whole graph, once it is needed.
  std::vector<std::uint32_t> offsets_, degrees_;
  std::unique_ptr<GnnRoom> room_;
  Array<std::byte> rows_;  ///< that were looked up
};

}  // namespace frugal::gnn
