#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <variant>

#include "libcore/graph/csr.h"
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

struct NeighborSamplerOptions {
  Fanouts fanouts;
  Semantics semantics = Semantics::mfg;
  std::uint64_t seed = 0;
  std::uint32_t max_seeds = 0;  ///< of a mini-batch
  bool edge_positions = false;  ///< mini-batches tell where each edge stands in the CSR
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
  void sample(std::span<const NodeId> seeds, MiniBatch& batch);

 private:
  using Table = std::variant<DenseIdTable, HashIdTable, WideIdTable>;
  struct Expansion;

  static Table make_table(const CsrView& graph, const NeighborSamplerOptions& options);
  template <class IdTable>
  void sample_with(IdTable& table, std::span<const NodeId> seeds, MiniBatch& batch);
  template <class IdTable>
  void take_seeds(IdTable& table, std::span<const NodeId> seeds, MiniBatch& batch);
  template <class IdTable>
  void expand(IdTable& table, const Expansion& hop, MiniBatch& batch);
  std::size_t draw_edges(const Expansion& hop, std::size_t begin, std::size_t count,
                         const MiniBatch& batch, std::uint32_t* taken);
  template <bool kPrefetch, class IdTable>
  void add_edges(IdTable& table, std::size_t count, MiniBatch& batch);

  CsrView graph_;
  NeighborSamplerOptions options_;
  std::unique_ptr<NeighborDraw> draw_;
  Table table_;
  GrowingArray<EdgeId> picks_;
};

}  // namespace frugal
