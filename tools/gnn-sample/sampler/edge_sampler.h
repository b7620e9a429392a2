#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/graph/csr.h"
#include "tools/gnn-sample/sampler/fanouts.h"
#include "tools/gnn-sample/sampler/id_table.h"
#include "tools/gnn-sample/sampler/mini_batch.h"
#include "tools/gnn-sample/sampler/neighbor_draw.h"

namespace frugal::gnn {

/// Copies of a graph's sources in which every row is in an order of its own, another one each
/// epoch: consecutive entries of a row are a random set of its edges, read with one or two lines of
/// memory. There are never more than two. For many threads: those that ask for an epoch make it
/// together.
class EpochShuffle {
 public:
  /// Borrows what the graph points to.
  EpochShuffle(const CsrView& graph, std::uint64_t seed);

  class Epoch {
   public:
    std::uint64_t number() const { return number_; }
    const Array<NodeId>& neighbors() const { return neighbors_; }

   private:
    friend class EpochShuffle;
    Epoch(std::uint64_t number, std::size_t num_edges);
    std::uint64_t number_;
    Array<NodeId> neighbors_;
    std::atomic<std::size_t> next_{0}, done_{0};  ///< blocks of rows
  };
  /// The same whatever was asked for before. Waits until nobody holds the epoch in whose place it
  /// is kept: a caller that holds one must not ask for another.
  std::shared_ptr<const Epoch> of(std::uint64_t epoch);
  /// Node v's row is shuffled by Rng(seed, hash_combine(stream_of(epoch), v)).
  static std::uint64_t stream_of(std::uint64_t epoch);

 private:
  void shuffle_block(std::size_t block, Epoch& epoch) const;

  CsrView graph_;
  std::uint64_t seed_;
  std::size_t num_blocks_;
  std::mutex mutex_;
  std::shared_ptr<Epoch> kept_[2];
};

/// An edge by its ends.
struct Link {
  NodeId source = 0, target = 0;
};

/// Edges of one type and how they are drawn. Borrows what the views point to.
struct EdgesToSample {
  CsrView csr;  ///< rows of the nodes of one type, which hold nodes of another or of the same
  std::uint32_t source_type = 0, target_type = 0;
  Fanouts fanouts;  ///< of each hop; 0: none
  std::unique_ptr<NeighborDraw> draw;
  /// Ascending in each row: only edges before the time of the seed are drawn. Empty: all are.
  std::span<const double> times;
  /// Rows in the order of the epoch instead of the graph's. For window_draw().
  std::shared_ptr<EpochShuffle> shuffle;
  /// Rows ascend by source, as they do unless edges have times; finds hidden edges quickly.
  bool sources_ascend = true;
};

/// Where edges between the ends of `links` stand, in either direction, ascending.
/// sources_ascend: see EdgesToSample.
void find_links(const CsrView& graph, bool sources_ascend, std::span<const Link> links,
                std::vector<EdgeId>& places);

/// A hop into the nodes [begin, end) of the target type.
struct Expansion {
  std::size_t begin = 0, end = 0;
  std::uint32_t fanout = 0;
  std::uint64_t key = 0;
  std::size_t offsets = 0;             ///< where the offset of the first target is to stand
  std::span<const double> seed_times;  ///< of the roots, where edges have times
};

/// Draws the edges of one type. One object a thread.
class EdgeSampler {
 public:
  /// positions: mini-batches tell where each edge stands in the CSR. prefetch: how, not what.
  EdgeSampler(EdgesToSample edges, bool positions, bool prefetch);

  const EdgesToSample& edges() const { return edges_; }
  /// Before the hops of a mini-batch; edges between the ends of `hidden` are left out.
  void start(std::uint64_t epoch, std::span<const Link> hidden);
  /// Behind the hops of a mini-batch: others may have the memory of the epoch.
  void finish() { shuffled_.reset(); }
  /// Draws for the targets of a hop: their edges go to `to`, sources that `table` does not know to
  /// `sources`, which may be `targets`. Fails (unavailable) where 2^32 edges would be drawn.
  void expand(const Expansion& hop, const SampledNodes& targets, IdTable& table,
              SampledNodes& sources, SampledEdges& to);

 private:
  template <class Table>
  void expand_with(Table& table, const Expansion& hop, const SampledNodes& targets,
                   SampledNodes& sources, SampledEdges& to);
  std::size_t draw_edges(const Expansion& hop, std::size_t begin, std::size_t count,
                         const SampledNodes& targets, std::uint32_t* taken);
  std::uint32_t num_before(NodeId v, double time) const;
  void skip_hidden(const EdgeId* begin, std::size_t count, const std::uint32_t* taken);
  void note_roots(const std::uint32_t* roots, std::size_t count, const std::uint32_t* taken);
  template <bool kPrefetch, class Table>
  void add_edges(Table& table, std::size_t count, SampledNodes& sources, SampledEdges& to);

  EdgesToSample edges_;
  bool positions_, prefetch_;
  GrowingArray<EdgeId> picks_;
  GrowingArray<std::uint32_t> pick_roots_;  ///< of each of picks_, with disjoint neighbourhoods
  std::shared_ptr<const EpochShuffle::Epoch> shuffled_;  ///< with edges_.shuffle
  std::vector<EdgeId> hidden_;  ///< places of edges that are left out, ascending
};

}  // namespace frugal::gnn
