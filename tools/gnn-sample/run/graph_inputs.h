#pragma once
#include <cstddef>

#include "tools/gnn-sample/data/stored_graph.h"
#include "tools/gnn-sample/network/gnn_model.h"
#include "tools/gnn-sample/settings/train_options.h"

namespace frugal::gnn {

/// The features of a graph that a network reads: its own, or those of hops (make_hop_features()).
class GraphInputs {
 public:
  /// Notes the sizes of the graph, and warns of weights that nothing reads. If the architecture
  /// reads hops, replaces the features by those of the hops and drops the edges, which are then in
  /// the features.
  void make(StoredGraph& graph, const TrainOptions& options);

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
