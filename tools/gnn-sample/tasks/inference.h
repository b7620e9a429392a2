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

/// Rows that the last layers of sage-ri read: features and the results of all blocks, for some
/// nodes of a graph, filled block by block.
class JoinedRows {
 public:
  /// Starts with the features of these nodes. Borrows the model.
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

/// Outputs of a layer for all nodes of a graph, in f32 or bf16.
class LayerOutputs {
 public:
  LayerOutputs() = default;
  LayerOutputs(Dtype dtype, std::size_t nodes, std::size_t dim);

  /// Stores the outputs of the nodes from `first` on.
  void store(std::size_t first, MatrixView<const float> rows);
  FeatureView view() const;

 private:
  Dtype dtype_ = Dtype::f32;
  std::size_t nodes_ = 0, dim_ = 0;
  Array<std::byte> bytes_;
};

/// Divides nodes into chunks. Each chunk is a block of one hop with all neighbours of its nodes.
class NeighborhoodChunks {
 public:
  /// Limits of a chunk; it has at least one target.
  static constexpr std::size_t kMaxEdges = std::size_t{1} << 21, kMaxTargets = std::size_t{1} << 16;

  /// degrees: neighbor_counts() of the graph; borrowed.
  NeighborhoodChunks(const CsrView& graph, std::span<const std::uint32_t> degrees,
                     std::size_t max_edges)
      : graph_(graph), all_degrees_(degrees), max_edges_(max_edges), places_(graph.num_nodes()) {}

  /// Starts with these nodes; empty: all nodes of the graph.
  void begin(std::span<const NodeId> nodes);
  /// Sets the batch's blocks, nodes and degrees to the next chunk; false at the end.
  bool next(GnnBatch& batch);
  /// Index of the chunk's first target among the nodes.
  std::size_t first() const { return first_; }

 private:
  std::uint32_t place(NodeId node);

  CsrView graph_;
  std::span<const std::uint32_t> all_degrees_;
  std::size_t max_edges_;
  std::span<const NodeId> targets_;
  std::size_t first_ = 0, next_ = 0;
  std::vector<std::uint32_t> places_;  ///< index of each node in nodes_, if it is there
  std::vector<NodeId> nodes_;
  std::vector<std::uint32_t> offsets_, neighbors_, degrees_;
  Block block_;
};

struct InferenceOptions {
  std::string fanouts;                       ///< "" = exact inference from whole neighbourhoods
  std::string fanouts_option = "--fanouts";  ///< option that messages name
  std::uint32_t batch_size = 1024;
  std::uint64_t seed = 0;
  std::uint64_t memory = 0;  ///< memory limit of exact inference, in bytes; 0 = all free memory
  std::size_t chunk_edges = NeighborhoodChunks::kMaxEdges;  ///< edges in a chunk of nodes
  Communicator* ranks = nullptr;   ///< ranks that share sampled mini-batches; each gets all outputs
  const KeptRows* kept = nullptr;  ///< feature rows of this rank; null: it has all
};

/// Called with the outputs of nodes [first, first + rows.rows) of the list, in order.
using OutputRows = std::function<void(std::size_t first, MatrixView<const float> rows)>;

/// Computes a model's outputs for nodes of a graph: from sampled neighbourhoods, or exactly, layer
/// by layer for all nodes. If memory is short, exact inference computes chunks of nodes, keeps one
/// layer only, and rounds it to bf16 if needed.
class Inference {
 public:
  /// Borrows the graph.
  Inference(const StoredGraph& graph, const InferenceOptions& options);

  /// Fails (usage) unless there are as many fanouts as the model has layers.
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
  /// Looks up the features of these nodes if they are an array.
  FeatureView look_up(std::span<const NodeId> nodes);

  // For the whole graph, set when needed.
  std::vector<std::uint32_t> offsets_, degrees_;
  std::unique_ptr<GnnRoom> room_;
  Array<std::byte> rows_;  ///< rows that were looked up
};

}  // namespace frugal::gnn
