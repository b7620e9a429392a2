#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "libcore/graph/csr.h"
#include "tools/gnn-sample/sampler/epoch_shuffle.h"
#include "tools/gnn-sample/sampler/fanouts.h"
#include "tools/gnn-sample/sampler/id_table.h"
#include "tools/gnn-sample/sampler/mini_batch.h"
#include "tools/gnn-sample/sampler/neighbor_draw.h"

namespace frugal::gnn {

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
  void find_hidden(std::span<const Link> links);
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
