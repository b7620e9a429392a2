#pragma once
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "tools/gnn-sample/batches/link_batches.h"
#include "tools/gnn-sample/batches/seed_batches.h"
#include "tools/gnn-sample/data/stored_graph.h"
#include "tools/gnn-sample/settings/sampling_settings.h"

namespace frugal::gnn {

/// Seeds, nodes or links, of mini-batch after mini-batch.
class SeedSource {
 public:
  /// Borrows the graph. Fails where there are no seeds.
  SeedSource(const StoredGraph& graph, const SeedSourceOptions& options,
             const SeedBatchOptions& batches);

  /// Number of the type of the seeds in the content of the graph.
  std::size_t node_type() const { return node_type_; }
  bool links() const { return std::holds_alternative<LinkBatches>(batches_); }
  /// The most seeds that the sampler is given at once.
  std::uint32_t max_seeds() const { return max_seeds_; }
  /// Mini-batches of an epoch, of all shards.
  std::uint64_t per_epoch() const;
  /// Mini-batches of all epochs and shards, and those that next() will give.
  std::uint64_t total() const;
  std::uint64_t left() const;
  /// The next mini-batch; where seeds are nodes, `batch.seeds` alone. False at the end.
  bool next(LinkBatch& batch);
  /// Finishes it; for many threads.
  void complete(LinkBatch& batch) const;

 private:
  std::size_t node_type_;
  std::variant<SeedBatches, LinkBatches> batches_;
  std::uint32_t max_seeds_ = 0;
};

}  // namespace frugal::gnn
