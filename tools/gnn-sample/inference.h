#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tools/gnn-sample/layer_outputs.h"
#include "tools/gnn-sample/train_batch.h"

namespace frugal::gnn {

struct InferenceOptions {
  std::string fanouts;                       ///< "" = exactly, from whole neighbourhoods
  std::string fanouts_option = "--fanouts";  ///< what messages call them
  std::uint32_t batch_size = 1024;
  std::uint64_t seed = 0;
  std::uint64_t memory = 0;  ///< bytes that exact inference may take; 0 = what is left
  std::size_t chunk_edges = NeighborhoodChunks::kMaxEdges;  ///< some nodes at a time
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
