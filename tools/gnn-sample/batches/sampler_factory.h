#pragma once
#include <memory>
#include <string>
#include <vector>

#include "tools/gnn-sample/data/stored_graph.h"
#include "tools/gnn-sample/sampler/alias_tables.h"
#include "tools/gnn-sample/sampler/neighbor_sampler.h"
#include "tools/gnn-sample/settings/sampling_options.h"

namespace frugal::gnn {

/// Edges and how they are drawn, for samplers that do not run here.
struct DrawnEdges {
  const EdgeSet& edges;
  Fanouts fanouts;
  DrawKind kind = DrawKind::uniform;
  bool temporal = false;               ///< only edges before the time of the seed
  const AliasTables* alias = nullptr;  ///< of weighted draws
};

/// Makes samplers of a kind, one for each thread, which share the tables that they draw by.
class SamplerFactory {
 public:
  /// Borrows the graph. `seed_type`: number of the type of the seeds in its content. Fails
  /// (bad_input) where weights are asked for that no edges have that are followed, and (usage)
  /// where fanouts are for types that are not there.
  SamplerFactory(const StoredGraph& graph, const SamplingOptions& options,
                 const NeighborSamplerOptions& sampler, std::size_t seed_type = 0);

  const NeighborSamplerOptions& options() const { return sampler_; }
  /// Numbers, in the content of the graph, of the types of edges that are followed: those of the
  /// mini-batches.
  std::vector<std::size_t> edge_types() const;
  std::unique_ptr<NeighborSampler> make() const;
  /// Of a graph of one type.
  DrawnEdges drawn_edges() const;

 private:
  /// A type of edges that is followed.
  struct Followed {
    std::size_t number = 0;
    Fanouts fanouts;
    std::unique_ptr<AliasTables> alias;     ///< where edges have weights, for --method weighted
    std::shared_ptr<EpochShuffle> shuffle;  ///< for --method window
  };

  const EdgeSet& edges_of(const Followed& type) const {
    return graph_.content().edges[type.number];
  }
  std::uint32_t type_number(const std::string& type) const;
  void check_edge_data() const;
  void prepare(Followed& type) const;
  DrawKind draw_kind(const Followed& type) const;
  std::unique_ptr<NeighborDraw> make_draw(const Followed& type) const;

  const StoredGraph& graph_;
  SamplingOptions options_;
  NeighborSamplerOptions sampler_;
  std::size_t seed_type_;
  std::vector<Followed> followed_;
};

}  // namespace frugal::gnn
