#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "libcore/graph/csr.h"
#include "tools/gnn-sample/sampler/edge_sampler.h"
#include "tools/gnn-sample/sampler/fanouts.h"
#include "tools/gnn-sample/sampler/id_table.h"
#include "tools/gnn-sample/sampler/mini_batch.h"
#include "tools/gnn-sample/sampler/neighbor_draw.h"

namespace frugal::gnn {

/// mfg: each hop draws anew for all nodes known so far (SALIENT, GraphBolt). frontier: each node's
/// neighbours are drawn once, when it is new, and serve all layers (pyg-lib); some 13 % fewer edges
/// at fanouts 15, 10, 5.
enum class Semantics { mfg, frontier };

/// Where local ids are looked up (id_table.h). automatic: dense while it fits the cache, wide where
/// a mini-batch may have 2^24 nodes, else hash.
enum class TableKind { automatic, dense, hash, wide };

/// What a mini-batch is sampled for.
struct SampleSeeds {
  std::span<const NodeId> nodes;
  std::span<const double> times;  ///< of each node, where edges are drawn by their time
  /// Edges that are left out, all between those ends in either direction. Only with draws whose
  /// edges are equally likely or the last.
  std::span<const Link> hidden;
};

struct NeighborSamplerOptions {
  /// Of a graph of one type, as are `times` and `shuffle`; others have them in EdgesToSample.
  Fanouts fanouts;
  Semantics semantics = Semantics::mfg;
  std::uint64_t seed = 0;
  std::uint32_t max_seeds = 0;  ///< of a mini-batch
  bool edge_positions = false;  ///< mini-batches tell where each edge stands in the CSR
  /// Each seed has a neighbourhood of its own, also one of two equal seeds: a node of two
  /// neighbourhoods is there twice.
  bool disjoint = false;
  /// Times of the edges, ascending in each row: only those before the time of the seed are drawn,
  /// in all hops. Borrowed; empty: all are. Needs disjoint.
  std::span<const double> times;
  /// Rows in the order of the epoch instead of the graph's; not with edge_positions, times nor
  /// hidden edges. For window_draw().
  std::shared_ptr<EpochShuffle> shuffle;
  /// Rows ascend by source, as they do unless edges have times; finds hidden edges quickly.
  bool sources_ascend = true;
  // How, not what: the results are the same.
  TableKind table = TableKind::automatic;
  bool prefetch = true;
};

/// What all that is random in a mini-batch follows from, and what of it in a hop into edges of a
/// type.
std::uint64_t batch_key(std::uint64_t seed, std::uint64_t epoch, std::uint64_t number);
std::uint64_t hop_key(std::uint64_t of_batch, std::size_t edge_type, std::size_t hop);

/// Nodes and edges of several types. Types of nodes are numbers from 0.
struct TypesToSample {
  std::vector<std::uint64_t> num_nodes;  ///< of each type
  std::vector<EdgesToSample> edges;      ///< at least one, all of as many hops
  std::uint32_t seed_type = 0;
};

/// Samples the neighbourhoods of seeds, hop by hop. A mini-batch is a function of the graph, the
/// options, the seeds, epoch and number: never of the thread, the ISA or what was sampled before.
/// With several types of edges each hop draws for all nodes that are targets of a type (those known
/// before the hop, or with a frontier those new in the hop before) type by type, in their order.
/// One object a thread.
class NeighborSampler {
 public:
  /// Borrows what the graph points to.
  NeighborSampler(const CsrView& graph, const NeighborSamplerOptions& options,
                  std::unique_ptr<NeighborDraw> draw);
  NeighborSampler(TypesToSample types, const NeighborSamplerOptions& options);

  /// Fills `batch`, whose epoch and number are set. 1 to max_seeds seeds, each a node of the graph.
  /// Fails (unavailable) where 2^32 edges would be drawn.
  void sample(const SampleSeeds& seeds, MiniBatch& batch);
  void sample(std::span<const NodeId> seeds, MiniBatch& batch) {
    sample(SampleSeeds{seeds, {}, {}}, batch);
  }

 private:
  void start(const SampleSeeds& seeds, MiniBatch& batch);
  template <class Table>
  void take_seeds(Table& table, std::span<const NodeId> seeds, MiniBatch& batch);
  void expand(std::size_t hop, std::uint64_t key, MiniBatch& batch);

  NeighborSamplerOptions options_;
  std::vector<EdgeSampler> edges_;  ///< of each type
  std::vector<IdTable> tables_;     ///< of the nodes of each type
  std::vector<std::uint64_t> num_nodes_;
  std::uint32_t seed_type_;
};

}  // namespace frugal::gnn
