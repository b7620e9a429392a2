#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "libcore/base/rng.h"
#include "tools/gnn-sample/sampler/neighbor_sampler.h"

using namespace frugal;
using namespace frugal::gnn;

namespace {

/// Rows that ascend in time, with many equal times and edges that repeat.
struct TimedGraph {
  std::vector<EdgeId> offsets = {0};
  std::vector<NodeId> neighbors;
  std::vector<double> times;

  explicit TimedGraph(NodeId num_nodes) {
    Rng rng(11);
    for (NodeId v = 0; v < num_nodes; ++v) {
      const std::uint64_t degree = v % 9 == 4 ? 0 : rng.below(40);
      std::vector<double> row;
      for (std::uint64_t i = 0; i < degree; ++i) {
        neighbors.push_back(static_cast<NodeId>(rng.below(num_nodes)));
        row.push_back(static_cast<double>(rng.below(8)) - 2);
      }
      std::sort(row.begin(), row.end());
      times.insert(times.end(), row.begin(), row.end());
      offsets.push_back(neighbors.size());
    }
  }
  CsrView csr() const { return {offsets, neighbors}; }
};

NeighborSamplerOptions tree_options(const Fanouts& fanouts, Semantics semantics = Semantics::mfg) {
  NeighborSamplerOptions options;
  options.fanouts = fanouts;
  options.semantics = semantics;
  options.seed = 3;
  options.max_seeds = 64;
  options.edge_positions = true;
  options.disjoint = true;
  options.sources_ascend = false;
  return options;
}

MiniBatch sample_trees(const CsrView& graph, const NeighborSamplerOptions& options,
                       const SampleSeeds& seeds, bool last = false) {
  NeighborSampler sampler(graph, options, last ? last_draw() : uniform_draw(graph));
  MiniBatch batch;
  sampler.sample(seeds, batch);
  return batch;
}

/// Every edge joins nodes of one neighbourhood, and is an edge of the graph; nodes are there once
/// in each. Returns the places of all edges by the root.
std::map<std::uint32_t, std::vector<EdgeId>> check_trees(const CsrView& graph,
                                                         const MiniBatch& batch) {
  const auto nodes = batch.nodes();
  const auto roots = batch.roots();
  REQUIRE(roots.size() == nodes.size());
  std::set<std::pair<std::uint32_t, NodeId>> known;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    wrong += !known.emplace(roots[i], nodes[i]).second;
    wrong += i < batch.num_seeds() && roots[i] != i;
  }
  std::map<std::uint32_t, std::vector<EdgeId>> places;
  for (std::size_t h = 0; h < batch.num_hops(); ++h) {
    const Block block = batch.block(h);
    for (std::uint32_t t = 0; t < block.targets; ++t) {
      for (std::uint32_t e = block.offsets[t]; e < block.offsets[t + 1]; ++e) {
        const std::uint32_t s = block.neighbors[e];
        const EdgeId place = block.positions[e];
        wrong += s >= block.sources || roots[s] != roots[t];
        wrong += place < graph.offsets[nodes[t]] || place >= graph.offsets[nodes[t] + 1];
        wrong += graph.neighbors[place] != nodes[s];
        places[roots[t]].push_back(place);
      }
    }
  }
  CHECK(wrong == 0);
  return places;
}

const std::vector<NodeId> kTreeSeeds = {17, 0, 3, 99, 17, 256, 0};

}  // namespace

TEST_CASE("Each seed has a neighbourhood of its own, also one that repeats") {
  const TimedGraph graph(300);
  for (const Semantics semantics : {Semantics::mfg, Semantics::frontier}) {
    const auto options = tree_options({8, 5, 3}, semantics);
    const MiniBatch batch = sample_trees(graph.csr(), options, {kTreeSeeds, {}, {}});
    CHECK(batch.num_seeds() == kTreeSeeds.size());
    CHECK(batch.seed_places().empty());
    CHECK(std::equal(kTreeSeeds.begin(), kTreeSeeds.end(), batch.nodes().begin()));
    const auto places = check_trees(graph.csr(), batch);
    CHECK(places.at(0) != places.at(4));
  }
}

TEST_CASE("Whole neighbourhoods of a seed are the same alone and with others") {
  const TimedGraph graph(300);
  const auto options = tree_options({kAllNeighbors, kAllNeighbors});
  const auto together =
      check_trees(graph.csr(), sample_trees(graph.csr(), options, {kTreeSeeds, {}, {}}));
  for (std::uint32_t i = 0; i < kTreeSeeds.size(); ++i) {
    const std::vector<NodeId> alone = {kTreeSeeds[i]};
    auto places = check_trees(graph.csr(), sample_trees(graph.csr(), options, {alone, {}, {}}));
    const auto found = together.find(i);
    auto want = found == together.end() ? std::vector<EdgeId>{} : found->second;
    std::sort(want.begin(), want.end());
    std::sort(places[0].begin(), places[0].end());
    CHECK(places[0] == want);
  }
}

TEST_CASE("No edge of the seed's time or later is ever drawn") {
  const TimedGraph graph(300);
  const std::vector<double> seed_times = {-2, -1.5, 0, 3, 4, 5, 100};
  for (const Semantics semantics : {Semantics::mfg, Semantics::frontier}) {
    for (const bool last : {false, true}) {
      for (const std::uint32_t fanout : {1u, 4u, 30u, kAllNeighbors}) {
        auto options = tree_options({fanout, 4, fanout}, semantics);
        options.times = graph.times;
        const MiniBatch batch =
            sample_trees(graph.csr(), options, {kTreeSeeds, seed_times, {}}, last);
        std::size_t late = 0, edges = 0;
        const auto trees = check_trees(graph.csr(), batch);
        for (const auto& [root, places] : trees) {
          for (const EdgeId place : places) late += graph.times[place] >= seed_times[root];
          edges += places.size();
        }
        CHECK(late == 0);
        CHECK(edges > 20);
        CHECK(batch.seed_times().size() == kTreeSeeds.size());
      }
    }
  }
}

TEST_CASE("The search for earlier edges finds those of a scan, whatever the size of a row") {
  for (const NodeId equal : {1, 2, 3, 9}) {  // times in a row that are equal
    TimedGraph graph(0);
    std::vector<NodeId> seeds;
    for (NodeId v = 0; v < 10; ++v) {  // v has v edges
      for (NodeId i = 0; i < v; ++i) {
        graph.neighbors.push_back(i);
        const NodeId time = i / equal;
        graph.times.push_back(time);
      }
      graph.offsets.push_back(graph.neighbors.size());
      seeds.push_back(v);
    }
    auto options = tree_options({kAllNeighbors});
    options.times = graph.times;
    for (double time = -0.5; time <= 9.5; time += 0.5) {
      const std::vector<double> times(seeds.size(), time);
      auto found = check_trees(graph.csr(), sample_trees(graph.csr(), options, {seeds, times, {}}));
      for (const NodeId v : seeds) {
        std::vector<EdgeId> want;
        for (EdgeId e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) {
          if (graph.times[e] < time) want.push_back(e);
        }
        CHECK(found[v] == want);
      }
    }
  }
}

TEST_CASE("Of the earlier edges each is drawn equally often, or the last are") {
  const TimedGraph graph(300);
  const NodeId v = 0;
  std::vector<EdgeId> earlier;
  for (EdgeId e = 0; e < graph.offsets[1]; ++e) {
    if (graph.times[e] < 3) earlier.push_back(e);
  }
  REQUIRE(earlier.size() > 8);
  auto options = tree_options({4});
  options.times = graph.times;
  NeighborSampler sampler(graph.csr(), options, uniform_draw(graph.csr()));
  MiniBatch batch;
  const std::vector<NodeId> seeds = {v};
  const std::vector<double> times = {3};
  std::map<EdgeId, double> counts;
  constexpr std::uint64_t kTrials = 20000;
  for (batch.number = 0; batch.number < kTrials; ++batch.number) {
    sampler.sample({seeds, times, {}}, batch);
    const auto places = check_trees(graph.csr(), batch);
    for (const EdgeId place : places.at(0)) ++counts[place];
  }
  CHECK(counts.size() == earlier.size());
  const double n = static_cast<double>(earlier.size()), expected = kTrials * 4 / n;
  double chi = 0;
  for (const auto& [place, count] : counts) chi += (count - expected) * (count - expected);
  CHECK(chi / expected < n + 5 * std::sqrt(2 * n));

  const auto last =
      check_trees(graph.csr(), sample_trees(graph.csr(), options, {seeds, times, {}}, true));
  CHECK(last.at(0) == std::vector<EdgeId>(earlier.end() - 4, earlier.end()));
}

TEST_CASE("Edges that are left out are never drawn, the others as often as without them") {
  // Node 0 has edges from 1..12, 5 twice.
  const std::vector<EdgeId> offsets = {0, 13, 14, 14, 14, 14, 15, 15, 15, 15, 15, 15, 15, 15};
  const std::vector<NodeId> neighbors = {1, 2, 3, 4, 5, 5, 6, 7, 8, 9, 10, 11, 12, 0, 0};
  const CsrView graph{offsets, neighbors};
  const std::vector<Link> hidden = {{5, 0}, {0, 12}, {1, 0}, {7, 9}};
  const std::vector<NodeId> seeds = {0, 1, 5};
  for (const bool ascend : {true, false}) {
    for (const bool disjoint : {true, false}) {
      auto options = tree_options({3, kAllNeighbors});
      options.sources_ascend = ascend;
      options.disjoint = disjoint;
      NeighborSampler sampler(graph, options, uniform_draw(graph));
      MiniBatch batch;
      std::map<EdgeId, double> counts;
      constexpr std::uint64_t kTrials = 6000;
      for (batch.number = 0; batch.number < kTrials; ++batch.number) {
        sampler.sample({seeds, {}, hidden}, batch);
        const Block block = batch.block(0);
        CHECK(block.num_edges() == 3);
        std::set<EdgeId> places;
        for (std::uint32_t e = block.offsets[0]; e < block.offsets[1]; ++e) {
          CHECK(neighbors[block.positions[e]] == batch.nodes()[block.neighbors[e]]);
          places.insert(block.positions[e]);
        }
        CHECK(places.size() == 3);
        for (const EdgeId place : places) ++counts[place];
      }
      CHECK(counts.size() == 9);
      double chi = 0;
      const double expected = kTrials * 3.0 / 9;
      for (const auto& [place, n] : counts) {
        CHECK((place != 0 && place != 4 && place != 5 && place != 12));
        chi += (n - expected) * (n - expected) / expected;
      }
      CHECK(chi < 9 + 5 * std::sqrt(18.0));
    }
  }
}

TEST_CASE("Neighbourhoods do not depend on earlier mini-batches nor on prefetching") {
  const TimedGraph graph(300);
  auto options = tree_options({6, 6});
  options.times = graph.times;
  const std::vector<double> times = {1, 2, 3, 4, 5, 6, 7};
  const MiniBatch want = sample_trees(graph.csr(), options, {kTreeSeeds, times, {}});
  options.prefetch = false;
  NeighborSampler sampler(graph.csr(), options, uniform_draw(graph.csr()));
  MiniBatch batch;
  for (std::uint64_t i = 300; i-- > 0;) {
    batch.number = i;
    sampler.sample({kTreeSeeds, times, {}}, batch);
  }
  CHECK(std::equal(want.nodes().begin(), want.nodes().end(), batch.nodes().begin(),
                   batch.nodes().end()));
  CHECK(check_trees(graph.csr(), want) == check_trees(graph.csr(), batch));
}

TEST_CASE("Neighbourhoods are the same in tables of narrow and of wide keys") {
  const TimedGraph graph(300);
  for (const Semantics semantics : {Semantics::mfg, Semantics::frontier}) {
    auto options = tree_options({6, 4, 3}, semantics);
    REQUIRE(NarrowTreeIdTable::can_hold(300, options.max_seeds));
    const MiniBatch narrow = sample_trees(graph.csr(), options, {kTreeSeeds, {}, {}});
    options.max_seeds = 1U << 31;
    REQUIRE(!NarrowTreeIdTable::can_hold(300, options.max_seeds));
    const MiniBatch wide = sample_trees(graph.csr(), options, {kTreeSeeds, {}, {}});
    CHECK(std::equal(narrow.nodes().begin(), narrow.nodes().end(), wide.nodes().begin(),
                     wide.nodes().end()));
    CHECK(check_trees(graph.csr(), narrow) == check_trees(graph.csr(), wide));
  }
}

TEST_CASE("Narrow keys are taken apart, also where seeds or nodes have all bits") {
  CHECK(NarrowTreeIdTable::can_hold(1 << 22, 1 << 10));
  CHECK(!NarrowTreeIdTable::can_hold((1 << 22) + 1, 1 << 10));
  CHECK(!NarrowTreeIdTable::can_hold(1 << 22, (1 << 10) + 1));
  const NarrowTreeIdTable both(1 << 22);
  CHECK(both.key(1023, 4194303) == 0xffffffff);
  CHECK(both.node(both.key(1023, 4194302)) == 4194302);
  CHECK(NarrowTreeIdTable::can_hold(1, std::uint64_t{1} << 32));
  CHECK(NarrowTreeIdTable(1).node(NarrowTreeIdTable(1).key(7, 0)) == 0);
  CHECK(NarrowTreeIdTable::can_hold(std::uint64_t{1} << 32, 1));
  const NarrowTreeIdTable nodes(std::uint64_t{1} << 32);
  CHECK(nodes.node(nodes.key(0, 0xfffffffe)) == 0xfffffffe);
}
