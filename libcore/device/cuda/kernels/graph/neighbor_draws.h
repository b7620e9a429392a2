#pragma once
/// Samples edges of a node as gnn-sample's samplers and libcore/kernels/bodies/draws/draws.inl do:
/// the same edges in the same order. One warp per row.
#include <cmath>
#include <cstdint>

#include "libcore/device/cuda/kernels/labels/lowest_keys.h"
#include "libcore/device/cuda/kernels/random_bits.h"

namespace frugal::cuda {

inline constexpr std::uint32_t kAllNeighbors = 0xffffffffU;
/// Largest number of draws for which repeated entries are found by search.
inline constexpr std::uint32_t kSearchedDraws = 256;
inline constexpr std::uint32_t kTriesPerEdge = 4;

enum class DrawMethod : int { uniform, repeated, last, window, labor, weighted, weighted_repeated };

/// A graph by its in-edges, on the device or in pinned host memory.
struct SampledGraph {
  const std::uint64_t* offsets;                 ///< [nodes + 1]
  const std::uint32_t* neighbors;               ///< [edges]
  const double* times;                          ///< [edges], or null
  const float* weights;                         ///< [edges], for weighted draws
  const std::uint32_t *alias_high, *alias_low;  ///< [edges] as in AliasList
  const std::uint32_t* drawable;  ///< [nodes] number of edges with a weight above 0; null: all

  FRUGAL_DEVICE std::uint32_t degree(std::uint32_t v) const {
    return static_cast<std::uint32_t>(offsets[v + 1] - offsets[v]);
  }
};

/// A row whose edges are sampled.
struct DrawnRow {
  std::uint64_t begin;     ///< first edge of the row in the graph
  std::uint32_t size;      ///< number of edges that may be drawn
  std::uint32_t drawable;  ///< those of them with a weight above 0
  std::uint32_t fanout, taken;
  std::uint64_t key;     ///< random key of the hop
  std::uint64_t number;  ///< index among the targets of the hop
  std::uint64_t* picks;  ///< [taken]
};

/// The random numbers of libcore/base/rng.h.
struct DeviceRng {
  std::uint64_t key, index;

  FRUGAL_DEVICE static DeviceRng of(std::uint64_t seed, std::uint64_t stream) {
    return {hash_combine(mix64(seed + 0x9e3779b97f4a7c15U), stream), 0};
  }
  FRUGAL_DEVICE std::uint64_t next() { return draw_at(key, index++); }
  FRUGAL_DEVICE std::uint64_t below(std::uint64_t n) {
    std::uint64_t bits = next();
    if (bits * n < n) {
      const std::uint64_t threshold = (0 - n) % n;
      while (bits * n < threshold) bits = next();
    }
    return __umul64hi(bits, n);
  }
};

inline constexpr std::uint64_t kGoldenStep = 0x9e3779b97f4a7c15U;
inline constexpr std::uint64_t kRetryStep = std::uint64_t{1} << 40;

FRUGAL_DEVICE std::uint64_t list_key(std::uint64_t key, std::uint64_t list) {
  return mix64(key + (list + 1) * kGoldenStep);
}
FRUGAL_DEVICE std::uint32_t draw_bits(std::uint64_t key, std::uint64_t j) {
  const std::uint64_t z = mix64(key + (j / 2 + 1) * kGoldenStep);
  return static_cast<std::uint32_t>(j % 2 == 0 ? z : z >> 32);
}
FRUGAL_DEVICE std::uint32_t bounded_draw(std::uint64_t key, std::uint32_t j, std::uint32_t n) {
  std::uint64_t product = std::uint64_t{draw_bits(key, j)} * n;
  if (static_cast<std::uint32_t>(product) < n) {
    const std::uint32_t threshold = (0 - n) % n;
    for (std::uint64_t at = j; static_cast<std::uint32_t>(product) < threshold;) {
      product = std::uint64_t{draw_bits(key, at += kRetryStep)} * n;
    }
  }
  return static_cast<std::uint32_t>(product >> 32);
}

/// Takes consecutive edges of the row from place `from` on, wrapping around at its end.
FRUGAL_DEVICE void draw_run(const DrawnRow& r, std::uint64_t from) {
  for (std::uint32_t j = own_lane(); j < r.taken; j += kLanes) {
    const std::uint64_t at = from + j;
    r.picks[j] = r.begin + (at >= r.size ? at - r.size : at);
  }
}

/// Floyd's sampling, kLanes draws at a time: an entry taken before is replaced by the last one of
/// its step.
FRUGAL_DEVICE void draw_searched(const DrawnRow& r) {
  const std::uint64_t key = list_key(r.key, r.number);
  for (std::uint32_t first = 0; first < r.taken; first += kLanes) {
    const std::uint32_t j = first + own_lane(), last = r.size - r.taken + j;
    const bool wanted = j < r.taken;
    std::uint32_t pick = wanted ? bounded_draw(key, j, last + 1) : kAllNeighbors;
    bool repeats = false;
    for (std::uint32_t i = 0; i < first; ++i) repeats = repeats || r.picks[i] == r.begin + pick;
    if (wanted && repeats) pick = last;
    const std::uint32_t end = r.taken - first < kLanes ? r.taken - first : kLanes;
    for (std::uint32_t i = 1; i < end; ++i) {
      const std::uint32_t drawn = __shfl_sync(kAllLanes, pick, static_cast<int>(i));
      const bool same = own_lane() < i && pick == drawn;
      const std::uint32_t taken = __ballot_sync(kAllLanes, same ? 1 : 0);
      if (own_lane() == i && taken != 0) pick = last;
    }
    if (wanted) r.picks[j] = r.begin + pick;
    __syncwarp();
  }
}

/// Floyd's sampling by one thread, with a hash table [4 taken] of the entries taken.
FRUGAL_DEVICE void draw_with_table(const DrawnRow& r, std::uint32_t* table) {
  int bits = 1;
  while (std::uint64_t{1} << bits < 2 * std::uint64_t{r.taken}) ++bits;
  const std::uint64_t slots = std::uint64_t{1} << bits;
  for (std::uint64_t i = own_lane(); i < slots; i += kLanes) table[i] = 0;
  __syncwarp();
  if (own_lane() != 0) return;
  const std::uint64_t key = list_key(r.key, r.number);
  const auto is_new = [=](std::uint32_t entry) {
    std::uint64_t at = (entry * kGoldenStep) >> (64 - bits);
    while (table[at] != 0 && table[at] != entry + 1) at = (at + 1) & (slots - 1);
    const bool free = table[at] == 0;
    table[at] = entry + 1;
    return free;
  };
  for (std::uint32_t j = 0; j < r.taken; ++j) {
    const std::uint32_t last = r.size - r.taken + j;
    std::uint32_t pick = bounded_draw(key, j, last + 1);
    if (!is_new(pick)) is_new(pick = last);
    r.picks[j] = r.begin + pick;
  }
}

/// Hashes of the sources of a row, as keys for lowest_keys().
struct SourceHashes {
  const std::uint32_t* sources;
  std::uint64_t key;
  FRUGAL_DEVICE std::uint64_t at(std::uint32_t i) const {
    std::uint32_t x = sources[i] ^ static_cast<std::uint32_t>(key);
    x = (x ^ (x >> 16)) * 0x7feb352dU + static_cast<std::uint32_t>(key >> 32);
    x = (x ^ (x >> 15)) * 0x846ca68bU;
    return std::uint64_t{x ^ (x >> 16)} << 32 | i;
  }
};

/// Takes the edges whose sources have the lowest hashes.
FRUGAL_DEVICE void draw_lowest(const DrawnRow& r, const std::uint32_t* neighbors) {
  const SourceHashes hashes{neighbors + r.begin, r.key};
  std::uint64_t above = 0;
  for (std::uint32_t first = 0; first < r.taken; first += kLanes) {
    const LaneKeys lowest = lowest_keys(hashes, r.size, first == 0, above);
    if (first + own_lane() < r.taken) r.picks[first + own_lane()] = r.begin + lowest.of;
    above = __shfl_sync(kAllLanes, lowest.key, kLanes - 1);
  }
}

FRUGAL_DEVICE std::uint64_t draw_by_weight(const SampledGraph& g, const DrawnRow& r,
                                           DeviceRng& rng) {
  const std::uint64_t own = r.begin + rng.below(r.size);
  const auto coin = static_cast<std::uint32_t>(rng.next() >> 32);
  const std::uint32_t high = g.alias_high[own], low = g.alias_low[own];
  const std::uint32_t share = (high & 0xffff0000) | low >> 16;
  return coin < share ? own : r.begin + (low << 16 | (high & 0xffff));
}

FRUGAL_DEVICE bool is_among(const std::uint64_t* picks, std::uint32_t n, std::uint64_t edge) {
  bool found = false;
  for (std::uint32_t i = 0; i < n; ++i) found = found || picks[i] == edge;
  return found;
}

/// Exponential clocks, as bits, of the edges of a row that were not drawn.
struct EdgeClocks {
  const SampledGraph& graph;
  const DrawnRow& row;
  DeviceRng rng;  ///< positioned at the first edge
  std::uint32_t drawn;
  FRUGAL_DEVICE std::uint64_t at(std::uint32_t i) const {
    const std::uint64_t edge = row.begin + i;
    const double weight = graph.weights[edge];
    if (weight <= 0 || is_among(row.picks, drawn, edge)) return kNoKey;
    const double share = static_cast<double>(draw_at(rng.key, rng.index + i) >> 11);
    const double u = 1 - share * 1.1102230246251565e-16;  // 2^-53
    // Not -0, whose bits are high.
    return static_cast<std::uint64_t>(__double_as_longlong(-log(u) / weight + 0.0));
  }
};

/// Clocks that differ by less than this share are doubtful: logarithms may differ from the host's
/// in the last bit.
inline constexpr double kClockDoubt = 1e-12;

/// Appends the edges whose clocks ring first to those already drawn. Returns whether their order is
/// certain.
FRUGAL_DEVICE bool draw_by_clocks(const SampledGraph& g, const DrawnRow& r, const DeviceRng& rng,
                                  std::uint32_t drawn) {
  const EdgeClocks clocks{g, r, rng, drawn};
  constexpr std::uint32_t kRound = kLanes - 1;  // the last lane has what follows
  std::uint64_t above = 0;
  bool certain = true;
  for (std::uint32_t first = drawn; first < r.taken; first += kRound) {
    const LaneKeys lowest = lowest_keys(clocks, r.size, first == drawn, above);
    const std::uint32_t end = r.taken - first < kRound ? r.taken - first : kRound;
    const std::uint64_t next =
        __shfl_sync(kAllLanes, lowest.key, static_cast<int>((own_lane() + 1) % kLanes));
    const double mine = __longlong_as_double(static_cast<long long>(lowest.key));
    const double later = __longlong_as_double(static_cast<long long>(next));
    const bool doubt = own_lane() < end && next != kNoKey && !(later > mine * (1 + kClockDoubt));
    certain = certain && __ballot_sync(kAllLanes, doubt ? 1 : 0) == 0;
    __syncwarp();  // all have searched what was drawn
    if (own_lane() < end) r.picks[first + own_lane()] = r.begin + lowest.of;
    above = __shfl_sync(kAllLanes, lowest.key, static_cast<int>(end - 1));
  }
  return certain;
}

/// Draws edges one after another without replacement, by their weights among the remaining ones.
FRUGAL_DEVICE bool draw_different(const SampledGraph& g, const DrawnRow& r) {
  DeviceRng rng = DeviceRng::of(r.key, r.number);
  std::uint32_t drawn = 0;
  std::uint32_t tries = r.fanout <= kSearchedDraws ? kTriesPerEdge * r.fanout : 0;
  for (; tries > 0 && drawn < r.taken; --tries) {
    const std::uint64_t edge = draw_by_weight(g, r, rng);
    bool found = false;
    for (std::uint32_t i = own_lane(); i < drawn; i += kLanes) found = found || r.picks[i] == edge;
    if (__ballot_sync(kAllLanes, found ? 1 : 0) != 0) continue;
    if (own_lane() == 0) r.picks[drawn] = edge;
    ++drawn;
    __syncwarp();
  }
  return drawn == r.taken || draw_by_clocks(g, r, rng, drawn);
}

/// Takes all edges of a weight above 0.
FRUGAL_DEVICE void draw_weighty(const SampledGraph& g, const DrawnRow& r) {
  std::uint32_t drawn = 0;
  for (std::uint64_t first = 0; first < r.size; first += kLanes) {
    const std::uint64_t i = first + own_lane();
    const bool counts = i < r.size && g.weights[r.begin + i] > 0;
    const std::uint32_t all = __ballot_sync(kAllLanes, counts ? 1 : 0);
    const std::uint32_t before = all & ((std::uint32_t{1} << own_lane()) - 1);
    if (counts) r.picks[drawn + static_cast<std::uint32_t>(__popc(before))] = r.begin + i;
    drawn += static_cast<std::uint32_t>(__popc(all));
  }
}

/// Number of edges taken of a row with `size` edges.
FRUGAL_DEVICE std::uint32_t num_taken(DrawMethod method, std::uint32_t size, std::uint32_t drawable,
                                      std::uint32_t fanout) {
  const bool weighted = method == DrawMethod::weighted || method == DrawMethod::weighted_repeated;
  const bool repeats = method == DrawMethod::repeated || method == DrawMethod::weighted_repeated;
  const std::uint32_t most = weighted ? drawable : size;
  if (repeats && fanout != kAllNeighbors) return most == 0 ? 0 : fanout;
  return most < fanout ? most : fanout;
}

/// Fills r.picks. Returns false if the host's draws may differ. table: [4 taken], for long draws.
template <DrawMethod kMethod>
FRUGAL_DEVICE bool draw_row(const SampledGraph& g, const DrawnRow& r, std::uint32_t* table) {
  constexpr bool kWeighted =
      kMethod == DrawMethod::weighted || kMethod == DrawMethod::weighted_repeated;
  bool certain = true;
  if (r.taken == 0) return true;
  if (kMethod == DrawMethod::repeated && r.fanout != kAllNeighbors) {
    const std::uint64_t key = list_key(r.key, r.number);
    for (std::uint32_t j = own_lane(); j < r.taken; j += kLanes) {
      r.picks[j] = r.begin + bounded_draw(key, j, r.size);
    }
  } else if (kMethod == DrawMethod::weighted_repeated && r.fanout != kAllNeighbors) {
    DeviceRng rng = DeviceRng::of(r.key, r.number);
    for (std::uint32_t j = 0; j < r.taken; ++j) {
      const std::uint64_t edge = draw_by_weight(g, r, rng);
      if (own_lane() == 0) r.picks[j] = edge;
    }
  } else if (kWeighted && r.drawable <= r.fanout) {
    draw_weighty(g, r);
  } else if (kMethod == DrawMethod::weighted) {
    certain = draw_different(g, r);
  } else if (r.size <= r.fanout) {
    draw_run(r, 0);
  } else if (kMethod == DrawMethod::last) {
    draw_run(r, r.size - r.taken);
  } else if (kMethod == DrawMethod::window) {
    draw_run(r, DeviceRng::of(r.key, r.number).below(r.size));
  } else if (kMethod == DrawMethod::labor) {
    draw_lowest(r, g.neighbors);
  } else if (r.taken <= kSearchedDraws) {
    draw_searched(r);
  } else {
    draw_with_table(r, table);
  }
  __syncwarp();
  return certain;
}

/// Shuffles the rows of `nodes` nodes for an epoch; one thread per row.
FRUGAL_KERNEL shuffle_rows(SampledGraph g, std::uint32_t nodes, std::uint64_t seed,
                           std::uint64_t stream, std::uint32_t* out) {
  for (std::uint32_t v = blockIdx.x * blockDim.x + threadIdx.x; v < nodes;
       v += gridDim.x * blockDim.x) {
    const std::uint32_t size = g.degree(v);
    const std::uint32_t* from = g.neighbors + g.offsets[v];
    std::uint32_t* to = out + g.offsets[v];
    for (std::uint32_t i = 0; i < size; ++i) to[i] = from[i];
    DeviceRng rng = DeviceRng::of(seed, hash_combine(stream, v));
    for (std::uint32_t i = size; i > 1; --i) {
      const std::uint64_t j = rng.below(i);
      const std::uint32_t moved = to[i - 1];
      to[i - 1] = to[j];
      to[j] = moved;
    }
  }
}

}  // namespace frugal::cuda
