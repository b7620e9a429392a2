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

/// Copies of a graph's neighbour lists in which every row is shuffled, anew in each epoch.
/// Consecutive entries of a row are a random set of its edges, and are read from one or two cache
/// lines. At most two copies exist. May be used by several threads; threads that ask for an epoch
/// make it together.
class EpochShuffle {
 public:
  /// Borrows the graph's arrays.
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
  /// The shuffled copy of an epoch, independent of earlier calls. Waits until nobody holds the copy
  /// that it replaces, so a caller that holds one must not ask for another.
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

/// An edge, given by its ends.
struct Link {
  NodeId source = 0, target = 0;
};

/// Which edges of a type hidden links are: those between the ends in either direction, those from
/// source to target, those from target to source, as in a relation of the reverse edges, or none.
enum class HiddenLinks { either_way, as_given, turned_round, none };

/// Edges of one type and how they are drawn. Borrows the arrays of its views.
struct EdgesToSample {
  CsrView csr;  ///< rows: nodes of the target type; entries: nodes of the source type
  std::uint32_t source_type = 0, target_type = 0;
  Fanouts fanouts;  ///< of each hop; 0: does not follow these edges
  std::unique_ptr<NeighborDraw> draw;
  /// Times of the edges, ascending in each row: only edges before the seed's time are drawn. Empty:
  /// all edges are.
  std::span<const double> times;
  /// Shuffled rows to use instead of the graph's, for window_draw().
  std::shared_ptr<EpochShuffle> shuffle;
  /// True if rows ascend by source, which makes finding hidden edges fast. False for edges with
  /// times.
  bool sources_ascend = true;
  HiddenLinks hidden = HiddenLinks::either_way;
};

/// Finds the positions of the edges that `links` are, ascending. sources_ascend: each row does.
void find_links(const CsrView& graph, bool sources_ascend, std::span<const Link> links,
                std::vector<EdgeId>& places, HiddenLinks which = HiddenLinks::either_way);

/// A hop: draws edges into nodes [begin, end) of the target type.
struct Expansion {
  std::size_t begin = 0, end = 0;
  std::uint32_t fanout = 0;
  std::uint64_t key = 0;
  std::size_t offsets = 0;             ///< index where the offset of the first target is written
  std::span<const double> seed_times;  ///< times of the roots, if edges have times
};

/// Draws the edges of one type. Each thread needs its own object.
class EdgeSampler {
 public:
  /// positions: mini-batches record each edge's position in the CSR. prefetch: only affects speed.
  EdgeSampler(EdgesToSample edges, bool positions, bool prefetch);

  const EdgesToSample& edges() const { return edges_; }
  /// Must be called before the hops of a mini-batch. Edges between the ends of `hidden` are left
  /// out.
  void start(std::uint64_t epoch, std::span<const Link> hidden);
  /// Must be called after the hops of a mini-batch: releases the epoch's copy.
  void finish() { shuffled_.reset(); }
  /// Draws edges for the targets of a hop and appends them to `to`. New sources, which are not in
  /// `table`, are appended to `sources`, which may be `targets`. Fails (unavailable) if 2^32 edges
  /// would be drawn.
  void expand(const Expansion& hop, const SampledNodes& targets, IdTable& table,
              SampledNodes& sources, SampledEdges& to);

 private:
  template <class Table>
  void expand_with(Table& table, const Expansion& hop, const SampledNodes& targets,
                   SampledNodes& sources, SampledEdges& to);
  std::size_t draw_edges(const Expansion& hop, std::size_t begin, std::size_t count,
                         const SampledNodes& targets, std::uint32_t* taken);
  void leave_earlier(std::span<const EdgeId> rows, const std::uint32_t* roots,
                     std::span<const double> seed_times, std::uint32_t* size) const;
  void skip_hidden(const EdgeId* begin, std::size_t count, const std::uint32_t* taken);
  void note_roots(const std::uint32_t* roots, std::size_t count, const std::uint32_t* taken);
  template <bool kPrefetch, class Table>
  void add_edges(Table& table, std::size_t count, SampledNodes& sources, SampledEdges& to);

  EdgesToSample edges_;
  bool positions_, prefetch_;
  GrowingArray<EdgeId> picks_;
  GrowingArray<std::uint32_t> pick_roots_;  ///< root of each pick, with disjoint neighbourhoods
  std::shared_ptr<const EpochShuffle::Epoch> shuffled_;  ///< the present copy, with edges_.shuffle
  /// Number of edges of each target before the time of its root, of the first num_earlier_ targets:
  /// the next hops draw for them again.
  GrowingArray<std::uint32_t> earlier_;
  std::size_t num_earlier_ = 0;
  std::vector<EdgeId> hidden_;  ///< positions of edges that are left out, ascending
};

}  // namespace frugal::gnn
