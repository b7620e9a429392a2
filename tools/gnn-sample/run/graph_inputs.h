#pragma once
#include <cstddef>

#include "tools/gnn-sample/data/stored_graph.h"
#include "tools/gnn-sample/inputs/node_inputs.h"
#include "tools/gnn-sample/network/gnn_model.h"
#include "tools/gnn-sample/settings/train_options.h"

namespace frugal::gnn {

/// Checks --input before a graph is read. Fails (usage) for an unknown part, and for an embedding
/// that the architecture cannot train. Fails (unavailable) for one on a device or with joint steps.
void check_input(const TrainOptions& options, int ranks);
/// Fails (usage) if the training does not go with Residence::packed.
void check_packs(const TrainOptions& options, int ranks);
/// Fails (usage) unless the features can be packed: they are dense.
void require_packable(const StoredGraph& graph);

/// Parts of the input rows that a checked --input asks for. auto: the features of the graph or, if
/// it has none, projection. Fails (usage) if nothing of these has the --input-size that was given.
InputParts input_parts(const TrainOptions& options, const StoredGraph& graph);

/// The numbers of a graph's nodes that a network reads: input rows, or their hops
/// (make_hop_features()).
class GraphInputs {
 public:
  /// Notes the sizes of the graph, those of edges in the options, too, and warns of weights that
  /// nothing reads. Fails (bad_input) if layers read weights or features of edges that the graph
  /// lacks. Sets `inputs` to those
  /// of the options, and makes them. If the architecture reads hops, replaces the input rows by
  /// those of the hops and drops the edges, which are then in the features.
  void make(StoredGraph& graph, TrainOptions& options, NodeInputs& inputs);

  std::size_t num_features() const { return features_; }
  std::size_t num_edges() const { return edges_; }
  /// Time of make().
  double seconds() const { return seconds_; }
  /// SeedBatchOptions::shuffle_block: rows that are larger than caches of the disk are read in
  /// runs, wherever they are.
  std::size_t shuffle_block(const StoredGraph& graph) const;
  /// Stores the scaling of the features in the model if it reads hops.
  void set_scaling(GnnModel& model) const;

 private:
  std::size_t features_ = 0, edges_ = 0;
  HopScaling scaling_;
  double seconds_ = 0;
};

}  // namespace frugal::gnn
