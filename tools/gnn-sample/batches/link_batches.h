#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/base/rng.h"
#include "libcore/graph/csr.h"
#include "tools/gnn-sample/batches/seed_batches.h"
#include "tools/gnn-sample/sampler/neighbor_sampler.h"
#include "tools/gnn-sample/settings/sampling_settings.h"

namespace frugal::gnn {

/// Draws negative links: replaces an end of a link by a node of the graph, each equally likely.
/// With no_edges, only nodes that make no edge are drawn. May be used by several threads.
class NegativeLinks {
 public:
  NegativeLinks(const CsrView& graph, const NegativeLinkOptions& options)
      : graph_(graph), options_(options) {}

  /// Returns a negative for a link. Fails (bad_input) if there is none.
  Link draw(const Link& positive, Rng& rng) const;

 private:
  bool allowed(const Link& link) const;
  Link draw_among_allowed(const Link& positive, Rng& rng) const;

  CsrView graph_;
  NegativeLinkOptions options_;
};

/// Links to predict: edges of a graph, or others.
struct LinkList {
  std::vector<Link> links;
  std::vector<double> times;  ///< of the links, or empty
  bool either_way = false;    ///< links have no direction: each gets a random one
  bool two_types = false;     ///< sources and targets are of different types of nodes
};

/// A mini-batch of links: positives, and negatives drawn for them. Its memory is reused.
struct LinkBatch {
  SeedBatches::Seeds seeds;  ///< distinct nodes to sample for; the ends have the link's time
  /// Targets to sample for, if they are of another type than the sources, which are in seeds.nodes.
  std::vector<NodeId> target_nodes;
  std::vector<Link> positives;
  /// Ends of all links: of the positives, then of the negatives of each. Indices in seeds.nodes, or
  /// of targets of another type in target_nodes.
  std::vector<std::uint32_t> sources, targets;

  std::size_t num_links() const { return sources.size(); }
  /// Label of link i: 1 for a positive, 0 for a negative.
  float label(std::size_t i) const { return i < positives.size() ? 1.0F : 0.0F; }
};

/// Seeds to sample for the links. hides: leaves the positives out of the neighbourhoods.
inline SampleSeeds sample_seeds(const LinkBatch& batch, bool hides) {
  SampleSeeds seeds{batch.seeds.nodes, batch.seeds.times, {}};
  if (hides) seeds.hidden = batch.positives;
  seeds.second = batch.target_nodes;
  return seeds;
}

/// Makes mini-batches of links, in the order of BatchOrder.
class LinkBatches {
 public:
  LinkBatches(LinkList list, const SeedBatchOptions& batches, const CsrView& graph,
              const NegativeLinkOptions& negatives);

  std::uint64_t per_epoch() const { return order_.per_epoch(); }
  std::uint64_t total() const { return order_.total(); }
  std::uint64_t left() const { return order_.left(); }
  /// Largest number of seeds of a mini-batch.
  static std::uint64_t max_seeds(std::uint32_t batch_size, const NegativeLinkOptions& negatives);

  /// Sets the positives of the next mini-batch; false at the end.
  bool next(LinkBatch& batch);
  /// Adds the negatives and the seeds. May be called by several threads.
  void complete(LinkBatch& batch) const;

 private:
  void add_negatives(LinkBatch& batch) const;

  LinkList list_;
  NegativeLinkOptions options_;
  NegativeLinks negatives_;
  std::uint64_t seed_;
  BatchOrder order_;
};

}  // namespace frugal::gnn
