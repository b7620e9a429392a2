#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/gnn-sample/data/stored_graph.h"
#include "tools/gnn-sample/sampler/alias_tables.h"
#include "tools/gnn-sample/sampler/neighbor_sampler.h"
#include "tools/gnn-sample/settings/sampling_options.h"

namespace frugal::gnn {

/// Edges and how they are drawn, for samplers on devices.
struct DrawnEdges {
  const EdgeSet& edges;
  Fanouts fanouts;
  DrawKind kind = DrawKind::uniform;
  bool temporal = false;               ///< only edges before the time of the seed
  const AliasTables* alias = nullptr;  ///< tables of weighted draws
};

/// Makes samplers, one for each thread, that share their tables.
class SamplerFactory {
 public:
  /// Borrows the graph. seed_type: index of the seeds' type in the graph's content. Fails
  /// (bad_input) if weights are asked for and no followed edges have any, and (usage) if fanouts
  /// name types that do not exist.
  SamplerFactory(const StoredGraph& graph, const SamplingOptions& options,
                 const NeighborSamplerOptions& sampler, std::size_t seed_type = 0);

  /// Samples for links between nodes of two types. second_type: that of seeds beside the first, if
  /// it is another. hidden: [edge types of the graph] what hidden links are there.
  void serve_links(std::optional<std::size_t> second_type, std::vector<HiddenLinks> hidden);
  const NeighborSamplerOptions& options() const { return sampler_; }
  /// Indices, in the graph's content, of the edge types that mini-batches follow.
  std::vector<std::size_t> edge_types() const;
  std::unique_ptr<NeighborSampler> make() const;
  /// Edges and draws for a device, of a graph of one type.
  DrawnEdges drawn_edges() const;

 private:
  /// An edge type that is followed.
  struct Followed {
    std::size_t number = 0;
    Fanouts fanouts;
    std::unique_ptr<AliasTables> alias;     ///< for --method weighted, if edges have weights
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
  std::optional<std::size_t> second_type_;
  std::vector<HiddenLinks> hidden_;  ///< of each type of edges, or none: either way
  std::vector<Followed> followed_;
};

}  // namespace frugal::gnn
