#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "libcore/base/rng.h"
#include "tools/gnn-sample/sampler/neighbor_sampler.h"

using namespace frugal;
using namespace frugal::gnn;

namespace {

struct Relation {
  std::uint32_t source, target;
  std::vector<EdgeId> offsets;
  std::vector<NodeId> neighbors;
  std::vector<double> times;

  CsrView csr() const { return {offsets, neighbors}; }
};

/// Types of 300, 40 and 7 nodes; edges of four types with rows of random length.
struct TypedGraph {
  std::vector<std::uint64_t> num_nodes = {300, 40, 7};
  std::vector<Relation> relations;

  TypedGraph() {
    Rng rng(17);
    for (const auto& [source, target] :
         std::vector<std::pair<std::uint32_t, std::uint32_t>>{{1, 0}, {0, 1}, {0, 0}, {2, 1}}) {
      Relation relation{source, target, {0}, {}, {}};
      for (std::uint64_t v = 0; v < num_nodes[target]; ++v) {
        std::set<NodeId> row;
        const std::uint64_t degree = v % 5 == 4 ? 0 : rng.below(20);
        for (std::uint64_t i = 0; i < degree; ++i) {
          row.insert(static_cast<NodeId>(rng.below(num_nodes[source])));
        }
        relation.neighbors.insert(relation.neighbors.end(), row.begin(), row.end());
        for (std::size_t i = 0; i < row.size(); ++i) {
          const std::size_t pair = i / 2;
          relation.times.push_back(static_cast<double>(pair));
        }
        relation.offsets.push_back(relation.neighbors.size());
      }
      relations.push_back(std::move(relation));
    }
  }

  TypesToSample to_sample(const std::vector<Fanouts>& fanouts, bool timed = false) const {
    TypesToSample types;
    types.num_nodes = num_nodes;
    for (std::size_t r = 0; r < relations.size(); ++r) {
      EdgesToSample edges;
      edges.csr = relations[r].csr();
      edges.source_type = relations[r].source;
      edges.target_type = relations[r].target;
      edges.fanouts = fanouts[r];
      edges.draw = uniform_draw(edges.csr);
      if (timed && r != 3) edges.times = relations[r].times;
      types.edges.push_back(std::move(edges));
    }
    return types;
  }
};

NeighborSamplerOptions typed_options(Semantics semantics = Semantics::mfg) {
  NeighborSamplerOptions options;
  options.semantics = semantics;
  options.seed = 3;
  options.max_seeds = 64;
  options.edge_positions = true;
  return options;
}

const std::vector<Fanouts> kFanouts = {{5, 3, 4}, {3, kAllNeighbors, 2}, {4, 0, 2}, {0, 2, 1}};
const std::vector<NodeId> kTypedSeeds = {17, 0, 3, 99, 298, 256};

MiniBatch sample(TypesToSample types, const NeighborSamplerOptions& options,
                 const std::vector<NodeId>& seeds, std::uint64_t number = 0) {
  NeighborSampler sampler(std::move(types), options);
  MiniBatch batch;
  batch.number = number;
  sampler.sample(seeds, batch);
  return batch;
}

/// All that a mini-batch says, in one list.
std::vector<std::uint64_t> flat_targets(const MiniBatch& batch) {
  std::vector<std::uint64_t> all;
  for (std::size_t t = 0; t < batch.num_types(); ++t) {
    all.push_back(batch.num_nodes(t));
    all.insert(all.end(), batch.nodes(t).begin(), batch.nodes(t).end());
  }
  for (std::size_t e = 0; e < batch.num_edge_types(); ++e) {
    for (std::size_t h = 0; h < batch.num_hops(); ++h) {
      const Block block = batch.block(h, e);
      all.insert(all.end(), {block.targets, block.sources});
      for (std::uint32_t t = 0; t < block.targets; ++t) {
        all.push_back(block.degree(t));
        for (std::uint32_t i = block.offsets[t]; i < block.offsets[t + 1]; ++i) {
          all.insert(all.end(), {block.neighbors[i], block.positions[i]});
        }
      }
    }
  }
  return all;
}

/// Follows the hops anew: each target has its fanout of different edges of its row, and sources
/// are numbered as they appear in their type.
void check_batch(const TypedGraph& graph, const MiniBatch& batch, Semantics semantics) {
  std::vector<std::uint32_t> appeared(3);
  appeared[0] = batch.num_seeds();
  std::size_t wrong = 0;
  for (std::size_t h = 0; h < batch.num_hops(); ++h) {
    std::vector<std::uint32_t> before = appeared;
    for (std::size_t e = 0; e < graph.relations.size(); ++e) {
      const Relation& relation = graph.relations[e];
      const Block block = batch.block(h, e);
      wrong += block.targets != before[relation.target];
      wrong += batch.nodes_behind(h, relation.target) != before[relation.target];
      const bool old_ones = semantics == Semantics::frontier && h != 0;
      const std::uint32_t first = old_ones ? batch.nodes_behind(h - 1, relation.target) : 0;
      for (std::uint32_t t = first; t < block.targets; ++t) {
        const NodeId v = batch.nodes(relation.target)[t];
        wrong += block.degree(t) != std::min(relation.csr().degree(v), kFanouts[e][h]);
        std::set<std::uint64_t> positions;
        for (std::uint32_t i = block.offsets[t]; i < block.offsets[t + 1]; ++i) {
          const std::uint64_t position = block.positions[i];
          positions.insert(position);
          wrong += position < relation.offsets[v] || position >= relation.offsets[v + 1];
          wrong += batch.nodes(relation.source)[block.neighbors[i]] != relation.neighbors[position];
          std::uint32_t& next = appeared[relation.source];
          wrong += block.neighbors[i] > next;
          next += block.neighbors[i] == next ? 1 : 0;
        }
        wrong += positions.size() != block.degree(t);
      }
    }
  }
  CHECK(wrong == 0);
  for (std::size_t t = 0; t < 3; ++t) {
    CHECK(appeared[t] == batch.num_nodes(t));
    const std::set<NodeId> different(batch.nodes(t).begin(), batch.nodes(t).end());
    CHECK(different.size() == batch.num_nodes(t));
  }
}

double chi_square(const std::vector<double>& counts) {
  double sum = 0, chi = 0;
  for (const double n : counts) sum += n;
  const double expected = sum / static_cast<double>(counts.size());
  for (const double n : counts) chi += (n - expected) * (n - expected) / expected;
  return chi;
}

}  // namespace

TEST_CASE("Each hop draws the edges of every type into the nodes of its target type") {
  const TypedGraph graph;
  for (const Semantics semantics : {Semantics::mfg, Semantics::frontier}) {
    const MiniBatch batch =
        sample(graph.to_sample(kFanouts), typed_options(semantics), kTypedSeeds);
    CHECK(batch.num_seeds() == kTypedSeeds.size());
    CHECK(std::equal(kTypedSeeds.begin(), kTypedSeeds.end(), batch.nodes(0).begin()));
    CHECK(batch.num_nodes(1) != 0);
    CHECK(batch.num_nodes(2) != 0);
    check_batch(graph, batch, semantics);
  }
}

TEST_CASE("Seeds may be of any type") {
  const TypedGraph graph;
  TypesToSample types = graph.to_sample(kFanouts);
  types.seed_type = 1;
  const MiniBatch batch = sample(std::move(types), typed_options(), {3, 8, 3});
  CHECK(batch.seed_type() == 1);
  CHECK(batch.num_seeds() == 2);
  CHECK(batch.nodes_behind(0, 0) == 0);
  CHECK(batch.nodes_behind(0, 1) == 2);
  CHECK(batch.block(0, 0).targets == 0);
  CHECK(batch.block(0, 1).targets == 2);
}

TEST_CASE("A graph of one type is the case of one") {
  const TypedGraph graph;
  for (const Semantics semantics : {Semantics::mfg, Semantics::frontier}) {
    NeighborSamplerOptions options = typed_options(semantics);
    options.fanouts = {5, 4, 3};
    const CsrView csr = graph.relations[2].csr();
    TypesToSample types;
    types.num_nodes = {300};
    types.edges.push_back({csr, 0, 0, options.fanouts, uniform_draw(csr), {}, nullptr, true});
    NeighborSampler sampler(csr, options, uniform_draw(csr));
    MiniBatch batch;
    sampler.sample(kTypedSeeds, batch);
    CHECK(flat_targets(batch) == flat_targets(sample(std::move(types), options, kTypedSeeds)));
  }
}

TEST_CASE("Tables, prefetching and earlier mini-batches change nothing of typed ones") {
  const TypedGraph graph;
  NeighborSamplerOptions options = typed_options();
  const auto want = flat_targets(sample(graph.to_sample(kFanouts), options, kTypedSeeds, 9));
  for (const TableKind table : {TableKind::dense, TableKind::hash, TableKind::wide}) {
    options.table = table;
    options.prefetch = table != TableKind::hash;
    NeighborSampler sampler(graph.to_sample(kFanouts), options);
    MiniBatch batch;
    for (batch.number = 0; batch.number < 10; ++batch.number) {
      sampler.sample(batch.number == 9 ? kTypedSeeds : std::vector<NodeId>{5, 6}, batch);
    }
    CHECK(flat_targets(batch) == want);
  }
}

TEST_CASE("With types every neighbour has the same rate, and types are drawn independently") {
  // Two types of edges from five nodes into one, whose rows are the same.
  const std::vector<EdgeId> offsets = {0, 5};
  const std::vector<NodeId> neighbors = {0, 1, 2, 3, 4};
  const CsrView csr{offsets, neighbors};
  const auto types = [&](std::uint32_t fanout) {
    TypesToSample two;
    two.num_nodes = {1, 5, 5};
    for (const std::uint32_t source : {1U, 2U}) {
      two.edges.push_back({csr, source, 0, {fanout}, uniform_draw(csr), {}, nullptr, true});
    }
    return two;
  };
  constexpr std::uint64_t kTrials = 20000;
  std::vector<double> pairs(25), sets(32);
  NeighborSampler one(types(1), typed_options()), three(types(3), typed_options());
  MiniBatch batch;
  for (batch.number = 0; batch.number < kTrials; ++batch.number) {
    one.sample(std::vector<NodeId>{0}, batch);
    ++pairs[batch.nodes(1)[0] * 5 + batch.nodes(2)[0]];
    three.sample(std::vector<NodeId>{0}, batch);
    REQUIRE(batch.num_nodes(2) == 3);
    std::size_t set = 0;
    for (const NodeId v : batch.nodes(2)) set |= std::size_t{1} << v;
    ++sets[set];
  }
  // Mean + 5 deviations of chi-square with 24 and 9 degrees of freedom.
  CHECK(chi_square(pairs) < 24 + 5 * 6.9);
  sets.erase(std::remove(sets.begin(), sets.end(), 0), sets.end());
  CHECK(sets.size() == 10);
  CHECK(chi_square(sets) < 9 + 5 * 4.3);
}

namespace {

/// Each target has its fanout of the edges before its root's time, within its neighbourhood.
void check_times(const TypedGraph& graph, const MiniBatch& batch, const std::vector<double>& times,
                 Semantics semantics) {
  std::size_t wrong = 0;
  for (std::size_t h = 0; h < batch.num_hops(); ++h) {
    for (std::size_t e = 0; e < graph.relations.size(); ++e) {
      const Relation& relation = graph.relations[e];
      const Block block = batch.block(h, e);
      const bool old_ones = semantics == Semantics::frontier && h != 0;
      const std::uint32_t first = old_ones ? batch.nodes_behind(h - 1, relation.target) : 0;
      for (std::uint32_t t = first; t < block.targets; ++t) {
        const NodeId v = batch.nodes(relation.target)[t];
        const std::uint32_t root = batch.roots(relation.target)[t];
        std::uint32_t earlier = 0;
        for (EdgeId i = relation.offsets[v]; i < relation.offsets[v + 1]; ++i) {
          earlier += e == 3 || relation.times[i] < times[root] ? 1 : 0;
        }
        wrong += block.degree(t) != std::min(earlier, kFanouts[e][h]);
        for (std::uint32_t i = block.offsets[t]; i < block.offsets[t + 1]; ++i) {
          wrong += batch.roots(relation.source)[block.neighbors[i]] != root;
          wrong += e != 3 && relation.times[block.positions[i]] >= times[root];
        }
      }
      CHECK((h == 0 || kFanouts[e][h] == 0 || block.num_edges() != 0));
    }
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE(
    "Neighbourhoods of their own stay apart in every type, and in time where edges have some") {
  const TypedGraph graph;
  const std::vector<double> times = {1, 2, 3, 4, 5, 2};
  for (const Semantics semantics : {Semantics::mfg, Semantics::frontier}) {
    NeighborSamplerOptions options = typed_options(semantics);
    options.disjoint = true;
    NeighborSampler sampler(graph.to_sample(kFanouts, true), options);
    MiniBatch batch;
    for (batch.number = 0; batch.number < 3; ++batch.number) {
      sampler.sample(SampleSeeds{kTypedSeeds, times, {}}, batch);
      check_times(graph, batch, times, semantics);
    }
  }
}

TEST_CASE("Two types may have seeds, and links are hidden in the direction that a relation has") {
  const TypedGraph graph;
  // An edge of relation 0, from type 1 to 0, that relation 1 has turned round.
  Link link;
  for (NodeId v = 0; v < 300; ++v) {
    for (const NodeId u : graph.relations[0].csr().row(v)) {
      if (std::ranges::count(graph.relations[1].csr().row(u), v) != 0) link = {u, v};
    }
  }
  REQUIRE(link.target != 0);
  TypesToSample types = graph.to_sample(std::vector<Fanouts>(4, {kAllNeighbors}));
  types.second_type = 1;
  types.edges[0].hidden = HiddenLinks::as_given;
  types.edges[1].hidden = HiddenLinks::turned_round;
  types.edges[2].hidden = types.edges[3].hidden = HiddenLinks::none;
  NeighborSampler sampler(std::move(types), typed_options());
  const NodeId other = link.source == 7 ? 8 : 7;
  const std::vector<NodeId> first = {link.target, 0, link.target, 3};
  const std::vector<NodeId> second = {link.source, other, link.source, link.source, 39};
  MiniBatch batch;
  sampler.sample(SampleSeeds{first, {}, std::span(&link, 1), second}, batch);
  CHECK(batch.num_seeds() == 3);
  CHECK(batch.nodes_behind(0, 1) == 3);
  CHECK(batch.seed_place(2) == 0);
  CHECK(batch.seed_place(3) == 2);
  CHECK(batch.second_place(3) == 0);
  CHECK(batch.second_place(4) == 2);
  for (std::size_t r = 0; r < 4; ++r) {
    const Block block = batch.block(0, r);
    std::size_t all = 0;
    for (std::uint32_t t = 0; t < block.targets; ++t) {
      all += graph.relations[r].csr().degree(batch.nodes(graph.relations[r].target)[t]);
    }
    CAPTURE(r);
    CHECK(all == block.num_edges() + (r < 2 ? 1 : 0));
  }
}
