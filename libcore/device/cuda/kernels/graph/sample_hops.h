#pragma once
/// Hops of a mini-batch (gnn-sample's neighbor_sampler.h). The numbers of nodes and edges are known
/// only on the device, so grids have any size. If a batch does not fit into its memory, it is
/// stopped, and the counts say what it needs.
#include <cstdint>

#include "libcore/device/cuda/kernels/graph/id_table.h"
#include "libcore/device/cuda/kernels/graph/neighbor_draws.h"
#include "libcore/device/cuda/kernels/prefix_sums.h"

namespace frugal::cuda {

inline constexpr std::uint32_t kMostHops = 16;

/// Sizes of a batch's arrays, or the sizes that it needs.
struct SampleRoom {
  std::uint64_t nodes, offsets, edges;
};

/// Counts of a batch by stage: stage 0 is the seeds, stage h + 1 is hop h.
struct SampleCounts {
  std::uint64_t known[kMostHops + 1];  ///< number of nodes after a stage
  std::uint64_t edges[kMostHops + 1];
  SampleRoom needs;       ///< sizes that did not fit
  std::uint32_t stopped;  ///< 1: the sizes did not fit
  std::uint32_t doubtful;
};

/// A batch: its seeds, and the sampled arrays.
struct SampledBatch {
  std::uint32_t num_seeds, num_hidden;
  const std::uint32_t* seeds;
  const double* seed_times;     ///< if edges are limited by time, else null
  const std::uint64_t* hidden;  ///< [num_hidden] positions of edges that are not used, ascending
  std::uint32_t* nodes;
  std::uint32_t* roots;  ///< seed of each node if neighbourhoods are separate, else null
  std::uint32_t *offsets, *neighbors, *places;
  std::uint64_t* picks;  ///< [edges] positions of the edges in the graph
  SampleCounts* counts;
};

/// Working memory of a batch.
struct SampleWork {
  IdTable table;
  std::uint32_t* slots;   ///< [edges or seeds] hash slots of a stage
  std::uint32_t* within;  ///< [edges, seeds or offsets]; with sums: prefix_sums.h
  /// [offsets] edges of a target that may be drawn, and that are drawn.
  std::uint32_t *sizes, *takes;
  std::uint32_t* long_draws;  ///< [4 edges] or null
  std::uint64_t* sums;
};

struct SampleHop {
  std::uint32_t number, fanout;
  bool anew;  ///< draws for all nodes known so far, not only for new ones
  std::uint64_t key;
};

struct HopTargets {
  std::uint64_t begin, end;
  std::uint64_t offsets;  ///< position of the first target's offset
};

FRUGAL_DEVICE HopTargets targets_of(const SampleCounts& c, const SampleHop& hop) {
  HopTargets t{0, c.known[hop.number], 0};
  if (hop.anew) {
    for (std::uint32_t h = 0; h < hop.number; ++h) t.offsets += c.known[h] + 1;
  } else if (hop.number != 0) {
    t.begin = t.offsets = c.known[hop.number - 1];
  }
  return t;
}

/// Number of the ascending numbers that are below `bound`.
template <class T>
FRUGAL_DEVICE std::uint64_t count_below(const T* numbers, std::uint64_t n, T bound) {
  std::uint64_t low = 0, high = n;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (numbers[middle] < bound) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Number of edges of `target` that may be drawn: earlier than the time of its seed, and not
/// hidden.
FRUGAL_DEVICE std::uint32_t drawn_from(const SampledGraph& g, const SampledBatch& b,
                                       std::uint64_t target) {
  const std::uint32_t v = b.nodes[target];
  const std::uint64_t begin = g.offsets[v];
  std::uint64_t size = g.degree(v);
  if (b.seed_times != nullptr && g.times != nullptr) {
    size = count_below(g.times + begin, size, b.seed_times[b.roots[target]]);
  }
  if (b.num_hidden != 0) {
    size -= count_below(b.hidden, b.num_hidden, begin + size) -
            count_below(b.hidden, b.num_hidden, begin);
  }
  return static_cast<std::uint32_t>(size);
}

FRUGAL_DEVICE std::uint32_t drawable_of(const SampledGraph& g, std::uint32_t v,
                                        std::uint32_t size) {
  return g.drawable == nullptr ? size : g.drawable[v];
}

/// Numbers of edges that the targets of a hop take, for prefix sums.
struct HopTakes {
  SampledBatch b;
  SampleWork w;
  SampleRoom room;
  SampleHop hop;
  std::uint64_t most_nodes;  ///< largest number of nodes of a batch

  FRUGAL_DEVICE std::uint64_t needed_offsets() const {
    const HopTargets t = targets_of(*b.counts, hop);
    return t.offsets + (t.end - t.begin) + 1;
  }
  FRUGAL_DEVICE std::uint64_t count() const {
    if (b.counts->stopped != 0 || needed_offsets() > room.offsets) return 0;
    const HopTargets t = targets_of(*b.counts, hop);
    return t.end - t.begin;
  }
  FRUGAL_DEVICE std::uint32_t at(std::uint64_t i) const { return w.takes[i]; }
  FRUGAL_DEVICE void finish(std::uint64_t all) const {
    SampleCounts& c = *b.counts;
    if (c.stopped != 0) return;
    const std::uint64_t edges = c.edges[hop.number] + all, known = c.known[hop.number] + all;
    const SampleRoom needs{known < most_nodes ? known : most_nodes, needed_offsets(), edges};
    if (needs.nodes > room.nodes || needs.offsets > room.offsets || needs.edges > room.edges) {
      c.needs = needs;
      c.stopped = 1;
    } else {
      c.edges[hop.number + 1] = edges;
    }
  }
};

/// Computes `sizes` and `takes` of a hop; one thread per target.
FRUGAL_KERNEL count_takes(SampledGraph g, HopTakes of, DrawMethod method) {
  const std::uint64_t n = of.count();
  const HopTargets t = targets_of(*of.b.counts, of.hop);
  for (std::uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += std::uint64_t{gridDim.x} * blockDim.x) {
    const std::uint32_t size = drawn_from(g, of.b, t.begin + i);
    of.w.sizes[i] = size;
    of.w.takes[i] =
        num_taken(method, size, drawable_of(g, of.b.nodes[t.begin + i], size), of.hop.fanout);
  }
}

/// Converts picks among the edges that may be drawn to positions among all, and inserts their
/// sources into the table.
FRUGAL_DEVICE void enter_picks(const SampledGraph& g, const SampledBatch& b, const SampleWork& w,
                               const DrawnRow& r, std::uint64_t root, std::uint64_t first,
                               std::uint64_t known) {
  const std::uint64_t hidden = count_below(b.hidden, b.num_hidden, r.begin);
  for (std::uint32_t j = own_lane(); j < r.taken; j += kLanes) {
    std::uint64_t pick = r.picks[j];
    for (std::uint64_t at = hidden; at < b.num_hidden && b.hidden[at] <= pick; ++at) ++pick;
    r.picks[j] = pick;
    const std::uint64_t key = root << 32 | g.neighbors[pick];
    w.slots[first + j] = w.table.enter(key, static_cast<std::uint32_t>(known + first + j));
  }
}

/// Draws the edges of a hop, after the prefix sums; one warp per target.
template <DrawMethod kMethod>
FRUGAL_KERNEL draw_hop(SampledGraph g, SampledBatch b, SampleWork w, SampleHop hop) {
  SampleCounts& c = *b.counts;
  if (c.stopped != 0) return;
  const HopTargets t = targets_of(c, hop);
  const std::uint64_t n = t.end - t.begin, edges = c.edges[hop.number];
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    b.offsets[t.offsets + n] = static_cast<std::uint32_t>(c.edges[hop.number + 1]);
  }
  const std::uint64_t warps = std::uint64_t{gridDim.x} * (blockDim.x / kLanes);
  for (std::uint64_t i = (std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) / kLanes; i < n;
       i += warps) {
    const std::uint64_t first = prefix_at(w.within, w.sums, i);
    const std::uint32_t v = b.nodes[t.begin + i], size = w.sizes[i];
    DrawnRow r{g.offsets[v], size, drawable_of(g, v, size), hop.fanout, w.takes[i],
               hop.key,      i,    b.picks + edges + first};
    if (own_lane() == 0) b.offsets[t.offsets + i] = static_cast<std::uint32_t>(edges + first);
    std::uint32_t* table = w.long_draws == nullptr ? nullptr : w.long_draws + 4 * first;
    if (!draw_row<kMethod>(g, r, table) && own_lane() == 0) c.doubtful = 1;
    const std::uint64_t root = b.roots == nullptr ? 0 : b.roots[t.begin + i];
    enter_picks(g, b, w, r, root, first, t.end);
  }
}

FRUGAL_KERNEL enter_seeds(SampledBatch b, SampleWork w) {
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < b.num_seeds;
       i += gridDim.x * blockDim.x) {
    const std::uint64_t root = b.roots == nullptr ? 0 : i;
    w.slots[i] = w.table.enter(root << 32 | b.seeds[i], i);
  }
}

/// Marks the nodes that a stage met for the first time, for prefix sums. Its places are numbered
/// from `known` on, so that a node known before keeps its number, which is lower.
struct FirstMet {
  SampledBatch b;
  SampleWork w;
  std::uint32_t stage;

  FRUGAL_DEVICE std::uint64_t known() const { return stage == 0 ? 0 : b.counts->known[stage - 1]; }
  FRUGAL_DEVICE std::uint64_t before() const { return stage == 0 ? 0 : b.counts->edges[stage - 1]; }
  FRUGAL_DEVICE std::uint64_t count() const {
    if (b.counts->stopped != 0) return 0;
    return stage == 0 ? b.num_seeds : b.counts->edges[stage] - before();
  }
  FRUGAL_DEVICE std::uint32_t at(std::uint64_t i) const {
    return w.table.numbers[w.slots[i]] == known() + i ? 1 : 0;
  }
  FRUGAL_DEVICE void finish(std::uint64_t all) const {
    if (b.counts->stopped == 0) b.counts->known[stage] = known() + all;
  }
};

/// Assigns local ids to new nodes; one thread per place. A place that is not a node's first can
/// never equal the slot's new number, which is lower.
FRUGAL_KERNEL number_new(FirstMet met) {
  const std::uint64_t n = met.count(), known = met.known();
  for (std::uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += std::uint64_t{gridDim.x} * blockDim.x) {
    const std::uint32_t slot = met.w.slots[i];
    if (met.w.table.numbers[slot] != known + i) continue;
    const std::uint64_t local = known + prefix_at(met.w.within, met.w.sums, i);
    const std::uint64_t key = met.w.table.keys[slot];
    met.b.nodes[local] = static_cast<std::uint32_t>(key);
    if (met.b.roots != nullptr) met.b.roots[local] = static_cast<std::uint32_t>(key >> 32);
    met.w.table.numbers[slot] = static_cast<std::uint32_t>(local);
  }
}

/// Writes the local ids of all nodes that a stage met.
FRUGAL_KERNEL list_numbers(FirstMet met) {
  const std::uint64_t n = met.count();
  std::uint32_t* to = met.stage == 0 ? met.b.places : met.b.neighbors + met.before();
  for (std::uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += std::uint64_t{gridDim.x} * blockDim.x) {
    to[i] = met.w.table.numbers[met.w.slots[i]];
  }
}

}  // namespace frugal::cuda
