#include "tools/gnn-sample/sampler/neighbor_sampler.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "libcore/base/hash.h"
#include "libcore/base/rng.h"
#include "libcore/base/text.h"
#include "libcore/system/limits.h"

namespace frugal::gnn {
namespace {

/// More nodes than this are as many, so that their product with a fanout has 64 bits.
constexpr std::uint64_t kMostNodes = std::uint64_t{1} << 36;
/// Above it a table with an entry for every node misses the cache more often than one of the size
/// of the mini-batch (measured with 1, 10 and 64 MB: 1.4, 1.15 and 1.0 times as fast).
constexpr std::uint64_t kDenseTableBytes = std::uint64_t{48} << 20;
/// The stream of the keys of batches; that of the epoch itself shuffles the seeds.
constexpr std::uint64_t kBatchKeys = 0x62617463686b6579;
/// Keys of the hops into a type of edges follow one another.
constexpr unsigned kEdgeTypeShift = 32;

/// The most nodes of each type that a mini-batch can have, each in every seed's neighbourhood if
/// these are disjoint.
std::vector<std::uint64_t> largest_batch(const TypesToSample& types,
                                         const NeighborSamplerOptions& options) {
  const std::uint64_t max_seeds = options.max_seeds, copies = options.disjoint ? max_seeds : 1;
  std::vector<std::uint64_t> nodes(types.num_nodes.size());
  nodes[types.seed_type] = max_seeds;
  if (types.second_type) nodes[*types.second_type] = max_seeds;
  for (std::size_t h = 0; h < types.edges.front().fanouts.size(); ++h) {
    const std::vector<std::uint64_t> before = nodes;
    for (const EdgesToSample& edges : types.edges) {
      const std::uint64_t all = std::min(types.num_nodes[edges.source_type] * copies, kMostNodes);
      const std::uint64_t targets = before[edges.target_type];
      std::uint64_t& n = nodes[edges.source_type];
      const bool whole = edges.fanouts[h] == kAllNeighbors && targets != 0;
      n = whole ? all : std::max(n, std::min(n + targets * edges.fanouts[h], all));
    }
  }
  return nodes;
}

IdTable make_table(std::uint64_t num_nodes, std::uint64_t largest,
                   const NeighborSamplerOptions& options) {
  if (options.disjoint) {
    const bool narrow = largest < NarrowTreeIdTable::kMaxLocal &&
                        NarrowTreeIdTable::can_hold(num_nodes, options.max_seeds);
    if (narrow) return NarrowTreeIdTable(num_nodes);
    return TreeIdTable();
  }
  TableKind kind = options.table;
  if (kind == TableKind::automatic) {
    const bool fits = DenseIdTable::num_bytes(num_nodes) <= kDenseTableBytes;
    kind = fits ? TableKind::dense : TableKind::hash;
  }
  if (std::min(largest, num_nodes) >= DenseIdTable::kMaxLocal) kind = TableKind::wide;
  switch (kind) {
    case TableKind::wide:
      check_memory("a table of " + format_count(num_nodes, "node") + " for a thread",
                   num_nodes * sizeof(std::uint64_t));
      return WideIdTable(num_nodes);
    case TableKind::dense: return DenseIdTable(num_nodes);
    default: return HashIdTable();
  }
}

/// Ends the mini-batch of these samplers, also where it fails.
struct Finish {
  std::vector<EdgeSampler>& edges;
  ~Finish() {
    for (EdgeSampler& type : edges) type.finish();
  }
};

TypesToSample one_type(const CsrView& graph, const NeighborSamplerOptions& options,
                       std::unique_ptr<NeighborDraw> draw) {
  TypesToSample types;
  types.num_nodes = {graph.num_nodes()};
  types.edges.push_back({graph, 0, 0, options.fanouts, std::move(draw), options.times,
                         options.shuffle, options.sources_ascend});
  return types;
}

}  // namespace

std::uint64_t batch_key(std::uint64_t seed, std::uint64_t epoch, std::uint64_t number) {
  return Rng(seed, hash_combine(kBatchKeys, epoch)).at(number);
}
std::uint64_t hop_key(std::uint64_t of_batch, std::size_t edge_type, std::size_t hop) {
  return mix64(of_batch + (std::uint64_t{edge_type} << kEdgeTypeShift) + hop + 1);
}

NeighborSampler::NeighborSampler(const CsrView& graph, const NeighborSamplerOptions& options,
                                 std::unique_ptr<NeighborDraw> draw)
    : NeighborSampler(one_type(graph, options, std::move(draw)), options) {}

NeighborSampler::NeighborSampler(TypesToSample types, const NeighborSamplerOptions& options)
    : options_(options),
      num_nodes_(types.num_nodes),
      seed_type_(types.seed_type),
      second_type_(types.second_type) {
  assert(!types.edges.empty());
  assert(!second_type_ || (*second_type_ != seed_type_ && !options.disjoint));
  const std::vector<std::uint64_t> largest = largest_batch(types, options);
  for (std::size_t t = 0; t < num_nodes_.size(); ++t) {
    tables_.push_back(make_table(num_nodes_[t], largest[t], options));
  }
  for (EdgesToSample& edges : types.edges) {
    assert(edges.times.empty() || options.disjoint);
    assert(edges_.empty() || edges.fanouts.size() == edges_.front().edges().fanouts.size());
    edges_.emplace_back(std::move(edges), options.edge_positions, options.prefetch);
  }
}

void NeighborSampler::sample(const SampleSeeds& seeds, MiniBatch& batch) {
  assert(!seeds.nodes.empty() && seeds.nodes.size() <= options_.max_seeds);
  const Finish finish{edges_};
  start(seeds, batch);
  take_seeds(tables_[seed_type_], seeds.nodes, {batch.nodes_[seed_type_], batch.places_});
  batch.num_seeds_ = batch.nodes_[seed_type_].size;
  batch.second_places_.clear();
  if (!seeds.second.empty()) {
    assert(second_type_ && seeds.second.size() <= options_.max_seeds);
    take_seeds(tables_[*second_type_], seeds.second,
               {batch.nodes_[*second_type_], batch.second_places_});
  }
  for (SampledNodes& nodes : batch.nodes_) nodes.known.assign(1, nodes.size);
  const std::uint64_t key = batch_key(options_.seed, batch.epoch, batch.number);
  for (std::size_t h = 0; h < edges_.front().edges().fanouts.size(); ++h) {
    expand(h, key, batch);
    for (SampledNodes& nodes : batch.nodes_) nodes.known.push_back(nodes.size);
  }
}

/// Makes the mini-batch one of these types, without nodes.
void NeighborSampler::start(const SampleSeeds& seeds, MiniBatch& batch) {
  for (IdTable& table : tables_) {
    std::visit([](auto& known) { known.start(); }, table);
  }
  batch.nodes_.resize(num_nodes_.size());
  for (SampledNodes& nodes : batch.nodes_) nodes.size = 0;
  batch.edges_.resize(edges_.size());
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    edges_[e].start(batch.epoch, seeds.hidden);
    SampledEdges& edges = batch.edges_[e];
    edges.source_type = edges_[e].edges().source_type;
    edges.target_type = edges_[e].edges().target_type;
    edges.size = 0;
    edges.hops.clear();
    // Blocks without edges have none, but say so: what was sampled before must not be seen.
    if (options_.edge_positions) edges.positions.make_room(1, 0);
  }
  batch.times_.assign(seeds.times.begin(), seeds.times.end());
  batch.seed_type_ = seed_type_;
  batch.has_roots_ = options_.disjoint;
  batch.has_positions_ = options_.edge_positions;
}

void NeighborSampler::take_seeds(IdTable& table, std::span<const NodeId> seeds,
                                 const SeedPlaces& to) {
  std::visit([&](auto& known) { take_seeds_with(known, seeds, to); }, table);
}

template <class Table>
void NeighborSampler::take_seeds_with(Table& table, std::span<const NodeId> seeds,
                                      const SeedPlaces& to) {
  SampledNodes& nodes = to.nodes;
  std::vector<std::uint32_t>& places = to.places;
  table.make_room(seeds.size() + 1);
  nodes.ids.make_room(seeds.size() + 1, 0);
  if (Table::kTrees) nodes.roots.make_room(seeds.size() + 1, 0);
  places.clear();
  std::uint32_t known = 0;
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    std::uint32_t local = known;
    if constexpr (Table::kTrees) {
      table.insert(table.key(known, seeds[i]), known);
      nodes.roots.data()[known] = known;
    } else {
      local = table.insert(seeds[i], known);
    }
    if (local != known && places.empty()) {
      for (std::uint32_t j = 0; j < i; ++j) places.push_back(j);
    }
    if (local != known || !places.empty()) places.push_back(local);
    nodes.ids.data()[known] = seeds[i];
    known += local == known ? 1 : 0;
  }
  nodes.size = known;
}

/// `key` of the mini-batch.
void NeighborSampler::expand(std::size_t h, std::uint64_t key, MiniBatch& batch) {
  const bool anew = options_.semantics == Semantics::mfg;
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    const EdgesToSample& edges = edges_[e].edges();
    SampledEdges& to = batch.edges_[e];
    const SampledNodes& targets = batch.nodes_[edges.target_type];
    Expansion hop;
    hop.begin = anew || h == 0 ? 0 : targets.known[h - 1];
    hop.end = targets.known[h];
    hop.fanout = edges.fanouts[h];
    hop.key = hop_key(key, e, h);
    // With mfg the offsets of a hop have an end of their own.
    hop.offsets = !anew ? hop.begin : h == 0 ? 0 : to.hops.back() + targets.known[h - 1] + 1;
    hop.seed_times = batch.times_;
    edges_[e].expand(hop, targets, tables_[edges.source_type], batch.nodes_[edges.source_type], to);
    to.hops.push_back(anew ? hop.offsets : 0);
  }
}

}  // namespace frugal::gnn
