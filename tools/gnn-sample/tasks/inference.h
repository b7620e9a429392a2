#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/base/view.h"
#include "libcore/graph/csr.h"
#include "libcore/parallel/communicator.h"
#include "tools/gnn-sample/batches/packed_batches.h"
#include "tools/gnn-sample/batches/train_batch.h"
#include "tools/gnn-sample/data/feature_view.h"
#include "tools/gnn-sample/network/gnn_model.h"
#include "tools/gnn-sample/tasks/draws_of_training.h"
#include "tools/gnn-sample/tasks/joined_rows.h"
#include "tools/gnn-sample/tasks/neighborhood_chunks.h"
#include "tools/gnn-sample/tasks/whole_neighborhoods.h"

namespace frugal::gnn {

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

/// Thrown by an inference whose InferenceOptions::stops returned true.
struct InferenceStopped {};

struct InferenceOptions {
  std::string fanouts;                       ///< "" = exact inference from whole neighbourhoods
  std::string fanouts_option = "--fanouts";  ///< option that messages name
  std::uint32_t batch_size = 1024;
  std::uint64_t seed = 0;
  std::uint64_t memory = 0;  ///< memory limit of exact inference, in bytes; 0 = all free memory
  std::size_t chunk_edges = NeighborhoodChunks::kMaxEdges;  ///< edges in a chunk of nodes
  Communicator* ranks = nullptr;   ///< ranks that share sampled mini-batches; each gets all outputs
  const KeptRows* kept = nullptr;  ///< feature rows of this rank; null: it has all
  FrequentRows* frequent = nullptr;  ///< sampled mini-batches are packed; null: they are not
  /// Asked before each mini-batch or chunk of nodes: true ends the run with InferenceStopped; may
  /// be null.
  std::function<bool()> stops = nullptr;

  void check_stop() const {
    if (stops && stops()) throw InferenceStopped();
  }
};

/// Called with the outputs of nodes [first, first + rows.rows) of the list, in order.
using OutputRows = std::function<void(std::size_t first, MatrixView<const float> rows)>;

/// Computes a model's outputs for nodes of a graph: from sampled neighbourhoods, or exactly, layer
/// by layer. Exact inference computes only nodes that the outputs depend on if at most half of the
/// graph is requested, otherwise all. If memory is short, it computes chunks of nodes, keeps one
/// layer only, and rounds it to bf16 if needed.
class Inference {
 public:
  /// Borrows the graph.
  Inference(const StoredGraph& graph, const InferenceOptions& options);

  /// Fails (usage) unless there are as many fanouts as the model has layers.
  void check_fits(const GnnModel& model) const;
  void run(const GnnModel& model, std::span<const NodeId> nodes, const OutputRows& rows);
  /// Bytes of memory that exact inference of so many nodes must find free: with less, it rounds the
  /// outputs of layers. 0 if inference is sampled.
  std::uint64_t exact_bytes(const GnnModel& model, std::size_t num_nodes) const;

 private:
  std::uint64_t memory_limit() const;
  bool fits(std::uint64_t bytes);
  bool run_needed(const GnnModel& model, std::span<const NodeId> nodes, const OutputRows& rows);
  void run_whole(const GnnModel& model, std::span<const NodeId> nodes, const OutputRows& rows);
  MatrixView<const float> forward(const GnnModel& model, GnnBatch& batch);
  void run_by_layers(const GnnModel& model, std::span<const NodeId> nodes, Dtype kept,
                     const OutputRows& rows);
  void run_exactly(const GnnModel& model, std::span<const NodeId> nodes, const OutputRows& rows);
  void run_sampled(const GnnModel& model, std::span<const NodeId> nodes, const OutputRows& rows);

  EdgeData edge_data(const GnnModel& model);
  std::span<const float> draw_weights(const GnnModel& model, std::size_t layer) {
    return draw_weights_.of(model.options(), graph_.content().edge_set(), 0, layer);
  }

  const StoredGraph& graph_;
  InferenceOptions options_;
  /// Looks up the features of these nodes if they are an array.
  FeatureView look_up(std::span<const NodeId> nodes);

  // Set when needed, and kept: the kernel clears pages of new memory.
  std::vector<std::uint32_t> offsets_, degrees_;
  std::vector<WeightedDegree> weighted_degrees_;
  DrawWeights draw_weights_;
  std::optional<WholeNeighborhoods> needed_;  ///< of the nodes requested last
  std::unique_ptr<GnnRoom> room_;
  std::uint64_t room_bytes_ = 0;  ///< largest estimate that was found to fit
  Array<std::byte> rows_;         ///< rows that were looked up
};

}  // namespace frugal::gnn
