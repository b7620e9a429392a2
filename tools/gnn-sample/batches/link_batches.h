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

/// Replaces ends of links by nodes of the graph, each equally likely, or with no_edges each of
/// those that are allowed. For many threads.
class NegativeLinks {
 public:
  NegativeLinks(const CsrView& graph, const NegativeLinkOptions& options)
      : graph_(graph), options_(options) {}

  /// Fails (bad_input) where no negative can be found.
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
  bool either_way = false;    ///< the links have no direction: each is given one by chance
};

/// One mini-batch of links: positives and negatives drawn for them. Kept and filled again.
struct LinkBatch {
  SeedBatches::Seeds seeds;  ///< the nodes to sample for; a link's time is that of its ends
  std::vector<Link> positives;
  /// Ends of all links, as places in seeds.nodes: of the positives, then of the negatives of each.
  std::vector<std::uint32_t> sources, targets;

  std::size_t num_links() const { return sources.size(); }
  /// 1 or 0.
  float label(std::size_t i) const { return i < positives.size() ? 1.0F : 0.0F; }
};

/// What a sampler is given for them; hides: the edges that are seeds.
inline SampleSeeds sample_seeds(const LinkBatch& batch, bool hides) {
  SampleSeeds seeds{batch.seeds.nodes, batch.seeds.times, {}};
  if (hides) seeds.hidden = batch.positives;
  return seeds;
}

/// The links of mini-batch after mini-batch (BatchOrder).
class LinkBatches {
 public:
  LinkBatches(LinkList list, const SeedBatchOptions& batches, const CsrView& graph,
              const NegativeLinkOptions& negatives);

  std::uint64_t per_epoch() const { return order_.per_epoch(); }
  std::uint64_t total() const { return order_.total(); }
  std::uint64_t left() const { return order_.left(); }
  /// The most seeds of a mini-batch.
  static std::uint64_t max_seeds(std::uint32_t batch_size, const NegativeLinkOptions& negatives);

  /// Fills the positives; false at the end.
  bool next(LinkBatch& batch);
  /// Adds the negatives and the seeds; for many threads.
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
