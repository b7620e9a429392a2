#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "libcore/graph/csr.h"
#include "tools/gnn-sample/sampler/epoch_shuffle.h"
#include "tools/gnn-sample/sampler/fanouts.h"
#include "tools/gnn-sample/sampler/id_table.h"
#include "tools/gnn-sample/sampler/mini_batch.h"
#include "tools/gnn-sample/sampler/neighbor_draw.h"

namespace frugal {

/// mfg: each hop draws anew for all nodes known so far (SALIENT, GraphBolt). frontier: each node's
/// neighbours are drawn once, when it is new, and serve all layers (pyg-lib); some 13 % fewer edges
/// at fanouts 15, 10, 5.
enum class Semantics { mfg, frontier };

/// Where local ids are looked up (id_table.h). automatic: dense while it fits the cache, wide where
/// a mini-batch may have 2^24 nodes, else hash.
enum class TableKind { automatic, dense, hash, wide };

/// An edge by its ends.
struct Link {
  NodeId source = 0, target = 0;
};

/// What a mini-batch is sampled for.
struct SampleSeeds {
  std::span<const NodeId> nodes;
  std::span<const double> times;  ///< of each node, where edges are drawn by their time
  /// Edges that are left out, all between those ends in either direction. Only with draws whose
  /// edges are equally likely or the last.
  std::span<const Link> hidden;
};

struct NeighborSamplerOptions {
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

/// Samples the neighbourhoods of seeds, hop by hop. A mini-batch is a function of the graph, the
/// options, the seeds, epoch and number: never of the thread, the ISA or what was sampled before.
/// One object a thread.
class NeighborSampler {
 public:
  /// Borrows what the graph points to.
  NeighborSampler(const CsrView& graph, const NeighborSamplerOptions& options,
                  std::unique_ptr<NeighborDraw> draw);

  /// Fills `batch`, whose epoch and number are set. 1 to max_seeds seeds, each a node of the graph.
  /// Fails (unavailable) where 2^32 edges would be drawn.
  void sample(const SampleSeeds& seeds, MiniBatch& batch);
  void sample(std::span<const NodeId> seeds, MiniBatch& batch) {
    sample(SampleSeeds{seeds, {}, {}}, batch);
  }

 private:
  using Table = std::variant<DenseIdTable, HashIdTable, WideIdTable, TreeIdTable>;
  struct Expansion;

  static Table make_table(const CsrView& graph, const NeighborSamplerOptions& options);
  void find_hidden(std::span<const Link> links);
  template <class IdTable>
  void sample_with(IdTable& table, std::span<const NodeId> seeds, MiniBatch& batch);
  template <class IdTable>
  void take_seeds(IdTable& table, std::span<const NodeId> seeds, MiniBatch& batch);
  template <class IdTable>
  void expand(IdTable& table, const Expansion& hop, MiniBatch& batch);
  std::size_t draw_edges(const Expansion& hop, std::size_t begin, std::size_t count,
                         const MiniBatch& batch, std::uint32_t* taken);
  std::uint32_t num_before(NodeId v, double time) const;
  void skip_hidden(const EdgeId* begin, std::size_t count, const std::uint32_t* taken);
  void note_roots(std::size_t begin, std::size_t count, const MiniBatch& batch,
                  const std::uint32_t* taken);
  template <bool kPrefetch, class IdTable>
  void add_edges(IdTable& table, std::size_t count, MiniBatch& batch);

  CsrView graph_;
  NeighborSamplerOptions options_;
  std::unique_ptr<NeighborDraw> draw_;
  Table table_;
  GrowingArray<EdgeId> picks_;
  GrowingArray<std::uint32_t> pick_roots_;  ///< of each of picks_, with disjoint neighbourhoods
  std::shared_ptr<const EpochShuffle::Epoch> shuffled_;  ///< with options_.shuffle
  std::vector<EdgeId> hidden_;  ///< places of edges that are left out, ascending
};

}  // namespace frugal
