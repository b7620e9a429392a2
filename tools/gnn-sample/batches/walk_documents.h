#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tools/gnn-sample/batches/batch_features.h"
#include "tools/gnn-sample/batches/document_arena.h"
#include "tools/gnn-sample/batches/seed_batches.h"
#include "tools/gnn-sample/data/node_lookup.h"
#include "tools/gnn-sample/data/stored_graph.h"
#include "tools/gnn-sample/sampler/random_walk.h"

namespace frugal::gnn {

struct WalkDocumentOptions {
  WalkOptions walks;  ///< of length 0: none
  std::uint32_t walks_per_node = 1;
  /// Not the walks, but of each seed this many of the nodes that its walks met most often; 0:
  /// walks.
  std::uint32_t most_visited = 0;
  bool features = true;    ///< of most visited nodes and seeds
  bool dense = false;      ///< with the zeros of sparse features
  bool identities = true;  ///< what the owner calls them, where that is not their number
  bool wide_ids = false;   ///< I64 instead of I32
};

/// A node that walks met, and how often.
struct Visited {
  NodeId node = 0;
  std::uint32_t visits = 0;
};

/// The `most` nodes met most often, the most visited first, the lower number before the higher; of
/// `walks`, which are sorted, without `start` (PinSAGE: Ying et al., KDD 2018, 3.1).
std::vector<Visited> most_visited(std::span<NodeId> walks, NodeId start, std::uint32_t most);

/// Documents of walks from the seeds of mini-batches; for many threads.
class WalkDocuments {
 public:
  /// Borrows the graph.
  WalkDocuments(const StoredGraph& graph, const WalkDocumentOptions& options);

  struct Made {
    std::uint64_t steps = 0;
    std::uint64_t nodes = 0;  ///< of the seeds' neighbours and the seeds; 0 with walks
  };
  /// Makes the document of the arena, which is empty.
  Made make(const SeedBatches::Seeds& seeds, DocumentArena& to) const;

 private:
  /// Returns the number of nodes.
  std::uint64_t add_neighbors(const SeedBatches::Seeds& seeds, std::vector<NodeId>& walks,
                              DocumentArena& to) const;
  void add_ids(const char* name, Shape shape, std::span<const NodeId> ids, DocumentArena& to) const;

  WalkDocumentOptions options_;
  RandomWalks walks_;
  std::optional<BatchFeatures> features_;
  NodeIdentities identities_;
};

}  // namespace frugal::gnn
