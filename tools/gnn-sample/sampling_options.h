#pragma once
#include <memory>
#include <string>
#include <vector>

#include "tools/gnn-sample/data/stored_graph.h"
#include "tools/gnn-sample/sampler/alias_tables.h"
#include "tools/gnn-sample/sampler/neighbor_sampler.h"

namespace frugal {

/// What the commands that sample share.
struct SamplingOptions {
  std::string fanouts = "15,10,5";
  std::string semantics = "mfg";   ///< or frontier
  std::string method = "uniform";  ///< weighted, labor or window
  bool replace = false;            ///< draw with repetition
  std::string table = "auto";      ///< or dense, hash
  bool prefetch = true;
  bool edge_ids = false;
  bool disjoint = false;          ///< each seed has a neighbourhood of its own
  std::string temporal = "none";  ///< uniform or last of the edges before the seed's time
  bool hide_seed_edges = false;   ///< leave out the edges that are seeds
};

/// Checked; `seed` is the run's. Fails (usage).
NeighborSamplerOptions sampler_options(const SamplingOptions& options, std::uint32_t batch_size,
                                       std::uint64_t seed);

/// Makes samplers of a kind, one for each thread, which share the tables that they draw by.
class SamplerFactory {
 public:
  /// Borrows the graph. Fails (bad_input) where weights are asked for that it does not have.
  SamplerFactory(const StoredGraph& graph, const SamplingOptions& options,
                 const NeighborSamplerOptions& sampler);

  const NeighborSamplerOptions& options() const { return sampler_; }
  std::unique_ptr<NeighborSampler> make() const;

 private:
  std::unique_ptr<NeighborDraw> make_draw() const;

  const StoredGraph& graph_;
  SamplingOptions options_;
  NeighborSamplerOptions sampler_;
  std::unique_ptr<AliasTables> alias_;
};

/// The nodes that `seeds` names: train, valid, test, labelled, all, or a file with a node id a
/// line. Fails where there are none.
std::vector<NodeId> find_seeds(const StoredGraph& graph, const std::string& seeds,
                               std::uint64_t split);

}  // namespace frugal
