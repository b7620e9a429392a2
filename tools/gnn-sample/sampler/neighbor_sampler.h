#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "libcore/graph/csr.h"
#include "tools/gnn-sample/sampler/edge_sampler.h"
#include "tools/gnn-sample/sampler/fanouts.h"
#include "tools/gnn-sample/sampler/id_table.h"
#include "tools/gnn-sample/sampler/mini_batch.h"
#include "tools/gnn-sample/sampler/neighbor_draw.h"

namespace frugal::gnn {

/// Nodes that a hop draws neighbours for. mfg: all nodes known so far, anew in each hop (SALIENT,
/// GraphBolt). frontier: only new nodes, whose neighbours then serve all layers (pyg-lib). It draws
/// some 13 % fewer edges at fanouts 15, 10, 5.
enum class Semantics { mfg, frontier };

/// Table of local ids (id_table.h). automatic: dense while it fits the cache, wide if a mini-batch
/// may have 2^24 nodes, otherwise hash.
enum class TableKind { automatic, dense, hash, wide };

/// Seeds of a mini-batch.
struct SampleSeeds {
  std::span<const NodeId> nodes;
  std::span<const double> times;  ///< time of each node, if edges are drawn by time
  /// Links to hide: the edges that they are (EdgesToSample::hidden) are left out. Requires draws
  /// of equally likely or of the last edges.
  std::span<const Link> hidden;
  /// Seeds of another type (TypesToSample::second_type); or none.
  std::span<const NodeId> second = {};
};

struct NeighborSamplerOptions {
  /// Fanouts for a graph of one type, as are `times` and `shuffle`. For other graphs these are in
  /// EdgesToSample.
  Fanouts fanouts;
  Semantics semantics = Semantics::mfg;
  std::uint64_t seed = 0;
  std::uint32_t max_seeds = 0;  ///< largest number of seeds of a mini-batch, of a type
  bool edge_positions = false;  ///< mini-batches record each edge's position in the CSR
  /// Disjoint neighbourhoods: each seed, even one of two equal seeds, has its own. A node in two
  /// neighbourhoods occurs twice.
  bool disjoint = false;
  /// Times of the edges, ascending in each row. Only edges before the seed's time are drawn, in all
  /// hops. Borrowed; empty: all edges are drawn. Requires disjoint.
  std::span<const double> times;
  /// Shuffled rows to use instead of the graph's, for window_draw(). Not with edge_positions, times
  /// or hidden edges.
  std::shared_ptr<EpochShuffle> shuffle;
  /// True if rows ascend by source, which makes finding hidden edges fast. False for edges with
  /// times.
  bool sources_ascend = true;
  // These options only affect speed.
  TableKind table = TableKind::automatic;
  bool prefetch = true;
};

/// Keys of the random numbers of a mini-batch, and of a hop in it along edges of a type.
std::uint64_t batch_key(std::uint64_t seed, std::uint64_t epoch, std::uint64_t number);
std::uint64_t hop_key(std::uint64_t of_batch, std::size_t edge_type, std::size_t hop);

/// Nodes and edges of several types. Node types are numbers from 0.
struct TypesToSample {
  std::vector<std::uint64_t> num_nodes;  ///< number of nodes of each type
  std::vector<EdgesToSample> edges;      ///< at least one type; all with the same number of hops
  std::uint32_t seed_type = 0;
  /// Another type that has seeds. Neighbourhoods then are not disjoint.
  std::optional<std::uint32_t> second_type = {};
};

/// Samples the neighbourhoods of seeds, hop by hop. A mini-batch is a function of graph, options,
/// seeds, epoch and number, not of the thread, the instruction set or earlier samples. With several
/// edge types, each hop draws type by type, in their order, for all targets of the type: those
/// known before the hop, or with frontier those new in the hop before. Each thread needs its own
/// object.
class NeighborSampler {
 public:
  /// Borrows the graph's arrays.
  NeighborSampler(const CsrView& graph, const NeighborSamplerOptions& options,
                  std::unique_ptr<NeighborDraw> draw);
  NeighborSampler(TypesToSample types, const NeighborSamplerOptions& options);

  /// Samples into `batch`, whose epoch and number must be set. Requires 1 to max_seeds seeds, all
  /// nodes of the graph. Fails (unavailable) if 2^32 edges would be drawn.
  void sample(const SampleSeeds& seeds, MiniBatch& batch);
  void sample(std::span<const NodeId> seeds, MiniBatch& batch) {
    sample(SampleSeeds{seeds, {}, {}}, batch);
  }

 private:
  void start(const SampleSeeds& seeds, MiniBatch& batch);
  struct SeedPlaces {
    SampledNodes& nodes;
    std::vector<std::uint32_t>& places;
  };
  void take_seeds(IdTable& table, std::span<const NodeId> seeds, const SeedPlaces& to);
  template <class Table>
  static void take_seeds_with(Table& table, std::span<const NodeId> seeds, const SeedPlaces& to);
  void expand(std::size_t hop, std::uint64_t key, MiniBatch& batch);

  NeighborSamplerOptions options_;
  std::vector<EdgeSampler> edges_;  ///< of each type
  std::vector<IdTable> tables_;     ///< of the nodes of each type
  std::vector<std::uint64_t> num_nodes_;
  std::uint32_t seed_type_;
  std::optional<std::uint32_t> second_type_;
};

}  // namespace frugal::gnn
