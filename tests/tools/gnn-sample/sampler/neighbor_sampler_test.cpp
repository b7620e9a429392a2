#include "tools/gnn-sample/sampler/neighbor_sampler.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <set>
#include <thread>
#include <vector>

#include "libcore/base/rng.h"
#include "libcore/threading/parallel.h"

using namespace frugal;
using namespace frugal::gnn;

namespace {

/// Rows of random length, some of them empty; node 0 has all others.
struct TestGraph {
  std::vector<EdgeId> offsets = {0};
  std::vector<NodeId> neighbors;

  explicit TestGraph(NodeId num_nodes) {
    Rng rng(5);
    for (NodeId v = 0; v < num_nodes; ++v) {
      std::set<NodeId> row;
      const std::uint64_t degree = v % 7 == 3 ? 0 : rng.below(30);
      for (std::uint64_t i = 0; i < degree; ++i) {
        row.insert(static_cast<NodeId>(rng.below(num_nodes)));
      }
      if (v == 0) {
        for (NodeId u = 1; u < num_nodes; ++u) row.insert(u);
      }
      neighbors.insert(neighbors.end(), row.begin(), row.end());
      offsets.push_back(neighbors.size());
    }
  }
  CsrView csr() const { return {offsets, neighbors}; }
};

MiniBatch sample(const CsrView& graph, const NeighborSamplerOptions& options,
                 const std::vector<NodeId>& seeds, std::uint64_t number = 0) {
  NeighborSampler sampler(graph, options, uniform_draw(graph));
  MiniBatch batch;
  batch.number = number;
  sampler.sample(seeds, batch);
  return batch;
}

NeighborSamplerOptions make_options(const Fanouts& fanouts, Semantics semantics = Semantics::mfg) {
  NeighborSamplerOptions options;
  options.fanouts = fanouts;
  options.semantics = semantics;
  options.seed = 3;
  options.max_seeds = 64;
  options.edge_positions = true;
  return options;
}

/// All that a mini-batch says, in one list.
std::vector<std::uint64_t> flat(const MiniBatch& batch) {
  std::vector<std::uint64_t> all(batch.nodes().begin(), batch.nodes().end());
  for (std::size_t h = 0; h < batch.num_hops(); ++h) {
    const Block block = batch.block(h);
    all.insert(all.end(), {block.targets, block.sources, block.num_edges()});
    for (std::uint32_t t = 0; t < block.targets; ++t) {
      all.push_back(block.degree(t));
      for (std::uint32_t e = block.offsets[t]; e < block.offsets[t + 1]; ++e) {
        all.insert(all.end(), {block.neighbors[e], block.positions[e]});
      }
    }
  }
  return all;
}

void check_batch(const CsrView& graph, const MiniBatch& batch, const Fanouts& fanouts,
                 Semantics semantics) {
  const auto nodes = batch.nodes();
  CHECK(std::set<NodeId>(nodes.begin(), nodes.end()).size() == nodes.size());
  std::uint32_t appeared = batch.num_seeds();
  std::size_t wrong = 0;
  for (std::size_t h = 0; h < batch.num_hops(); ++h) {
    const Block block = batch.block(h);
    CHECK(block.targets == batch.nodes_behind(h));
    CHECK(block.sources == batch.nodes_behind(h + 1));
    const std::uint32_t old = semantics == Semantics::mfg || h == 0 ? 0 : batch.nodes_behind(h - 1);
    for (std::uint32_t t = old; t < block.targets; ++t) {
      const NodeId v = nodes[t];
      wrong += block.degree(t) != std::min(graph.degree(v), fanouts[h]);
      std::set<std::uint64_t> positions;
      for (std::uint32_t e = block.offsets[t]; e < block.offsets[t + 1]; ++e) {
        const std::uint64_t position = block.positions[e];
        positions.insert(position);
        wrong += position < graph.offsets[v] || position >= graph.offsets[v + 1];
        wrong += block.neighbors[e] >= block.sources;
        wrong += nodes[block.neighbors[e]] != graph.neighbors[position];
        // New nodes are numbered as they come.
        wrong += block.neighbors[e] > appeared;
        appeared += block.neighbors[e] == appeared ? 1 : 0;
      }
      wrong += positions.size() != block.degree(t);
    }
  }
  CHECK(wrong == 0);
  CHECK(appeared == batch.num_nodes());
}

const std::vector<NodeId> kSeeds = {17, 0, 3, 99, 498, 256};

}  // namespace

TEST_CASE("Blocks hold edges of the graph, each target its fanout of them") {
  const TestGraph graph(500);
  for (const Semantics semantics : {Semantics::mfg, Semantics::frontier}) {
    for (const Fanouts& fanouts : {Fanouts{5}, Fanouts{15, 10, 5}, Fanouts{20, 3},
                                   Fanouts{kAllNeighbors, 2}, Fanouts{1, 1, 1, 1}}) {
      const MiniBatch batch = sample(graph.csr(), make_options(fanouts, semantics), kSeeds);
      CHECK(batch.num_seeds() == kSeeds.size());
      CHECK(std::equal(kSeeds.begin(), kSeeds.end(), batch.nodes().begin()));
      check_batch(graph.csr(), batch, fanouts, semantics);
    }
  }
}

TEST_CASE("With a frontier a node keeps its edges in all layers") {
  const TestGraph graph(500);
  const MiniBatch batch = sample(graph.csr(), make_options({5, 5, 5}, Semantics::frontier), kSeeds);
  for (std::size_t h = 1; h < 3; ++h) {
    const Block outer = batch.block(h), inner = batch.block(h - 1);
    for (std::uint32_t t = 0; t < inner.targets; ++t) {
      const auto a = outer.row(t), b = inner.row(t);
      CHECK(std::equal(a.begin(), a.end(), b.begin(), b.end()));
    }
  }
  CHECK(batch.num_edges() == batch.block(2).num_edges());
}

TEST_CASE("Tables and prefetching change nothing") {
  const TestGraph graph(500);
  NeighborSamplerOptions options = make_options({8, 8, 8});
  const auto want = flat(sample(graph.csr(), options, kSeeds));
  for (const TableKind table : {TableKind::dense, TableKind::hash, TableKind::wide}) {
    for (const bool prefetch : {true, false}) {
      options.table = table;
      options.prefetch = prefetch;
      CHECK(flat(sample(graph.csr(), options, kSeeds)) == want);
    }
  }
}

TEST_CASE("A mini-batch does not depend on those before it") {
  const TestGraph graph(500);
  for (const TableKind table : {TableKind::dense, TableKind::hash, TableKind::wide}) {
    NeighborSamplerOptions options = make_options({6, 6});
    options.table = table;
    NeighborSampler sampler(graph.csr(), options, uniform_draw(graph.csr()));
    MiniBatch batch;
    for (std::uint64_t i = 0; i < 600; ++i) {  // stamps of 8 bits come round twice
      batch.number = i;
      const NodeId first = static_cast<NodeId>(i % 400);
      sampler.sample(std::vector<NodeId>{first, first + 50}, batch);
    }
    CHECK(flat(batch) == flat(sample(graph.csr(), options, {199, 249}, 599)));
  }
}

TEST_CASE("Epoch, number and seed each change what is drawn") {
  const TestGraph graph(500);
  NeighborSamplerOptions options = make_options({5, 5});
  const auto first = flat(sample(graph.csr(), options, kSeeds));
  CHECK(flat(sample(graph.csr(), options, kSeeds)) == first);
  CHECK(flat(sample(graph.csr(), options, kSeeds, 1)) != first);
  options.seed = 4;
  CHECK(flat(sample(graph.csr(), options, kSeeds)) != first);
}

TEST_CASE("Equal seeds are one node") {
  const TestGraph graph(500);
  const MiniBatch batch = sample(graph.csr(), make_options({5}), {7, 8, 7, 9, 8});
  CHECK(batch.num_seeds() == 3);
  const auto places = batch.seed_places();
  CHECK(std::vector<std::uint32_t>(places.begin(), places.end()) ==
        std::vector<std::uint32_t>{0, 1, 0, 2, 1});
  CHECK(sample(graph.csr(), make_options({5}), {7, 8}).seed_places().empty());
}

TEST_CASE("Seeds without neighbours have a batch of their own") {
  const TestGraph graph(500);
  const MiniBatch batch = sample(graph.csr(), make_options({5, 5}), {3, 10});
  CHECK(batch.num_nodes() == 2);
  CHECK(batch.num_edges() == 0);
  CHECK(batch.block(1).targets == 2);
}

TEST_CASE("With windows each set of neighbours is equally likely, in the order of its epoch") {
  const std::vector<EdgeId> offsets = {0, 5, 6, 6, 6, 6, 6};
  const std::vector<NodeId> neighbors = {1, 2, 3, 4, 5, 0};
  const CsrView graph{offsets, neighbors};
  NeighborSamplerOptions options = make_options({2, 3});
  options.edge_positions = false;
  options.shuffle = std::make_shared<EpochShuffle>(graph, 3);
  NeighborSampler sampler(graph, options, window_draw());
  MiniBatch batch;
  std::map<std::set<NodeId>, double> counts;
  constexpr std::uint64_t kTrials = 20000;
  for (batch.epoch = 0; batch.epoch < kTrials; ++batch.epoch) {
    sampler.sample(std::vector<NodeId>{0}, batch);
    const Block block = batch.block(0);
    REQUIRE(block.num_edges() == 2);
    ++counts[{batch.nodes()[block.row(0)[0]], batch.nodes()[block.row(0)[1]]}];
  }
  CHECK(counts.size() == 10);
  double chi = 0;
  for (const auto& [set, n] : counts) {
    CHECK(set.size() == 2);
    chi += (n - kTrials / 10.0) * (n - kTrials / 10.0) / (kTrials / 10.0);
  }
  CHECK(chi < 9 + 5 * 4.3);
}

TEST_CASE("Threads that ask for epochs together have the same rows, of the same edges") {
  const TestGraph graph(9000);
  EpochShuffle together(graph.csr(), 8);
  std::atomic<std::size_t> wrong{0};
  parallel_threads([&](int) {
    for (const std::uint64_t number : {0U, 1U, 2U, 1U}) {
      const auto epoch = together.of(number);
      wrong += epoch->number() != number;
      std::vector<NodeId> row(epoch->neighbors().begin(), epoch->neighbors().begin() + 8999);
      std::sort(row.begin(), row.end());
      wrong += !std::equal(row.begin(), row.end(), graph.neighbors.begin());
    }
  });
  CHECK(wrong == 0);
  EpochShuffle alone(graph.csr(), 8);
  const auto a = together.of(7), b = alone.of(7), c = alone.of(8);
  CHECK(std::equal(a->neighbors().begin(), a->neighbors().end(), b->neighbors().begin()));
  CHECK(!std::equal(a->neighbors().begin(), a->neighbors().end(), c->neighbors().begin()));
}

TEST_CASE("There are two epochs at a time, held while a mini-batch is sampled") {
  const TestGraph graph(500);
  NeighborSamplerOptions options = make_options({5});
  options.edge_positions = false;
  options.shuffle = std::make_shared<EpochShuffle>(graph.csr(), 8);
  NeighborSampler sampler(graph.csr(), options, window_draw());
  MiniBatch batch;
  batch.epoch = 0;
  sampler.sample(std::vector<NodeId>{0}, batch);
  auto held = options.shuffle->of(0);
  CHECK(held.use_count() == 2);  // the other is the one kept for the next who asks
  options.shuffle->of(1);
  std::atomic<bool> there{false};
  std::thread next([&] { there = options.shuffle->of(2)->number() == 2; });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(!there);
  held.reset();
  next.join();
  CHECK(there);
}

TEST_CASE("Every neighbour is drawn at the same rate") {
  const TestGraph graph(500);
  NeighborSampler sampler(graph.csr(), make_options({10}), uniform_draw(graph.csr()));
  MiniBatch batch;
  std::map<NodeId, std::uint64_t> counts;
  constexpr std::uint64_t kTrials = 20000;
  for (std::uint64_t i = 0; i < kTrials; ++i) {
    batch.number = i;
    sampler.sample(std::vector<NodeId>{0}, batch);
    for (std::size_t j = 1; j < batch.nodes().size(); ++j) ++counts[batch.nodes()[j]];
  }
  CHECK(counts.size() == 499);
  const double expected = static_cast<double>(kTrials) * 10 / 499;
  double chi = 0;
  for (const auto& [node, n] : counts) {
    chi += (static_cast<double>(n) - expected) * (static_cast<double>(n) - expected) / expected;
  }
  // 498 degrees of freedom (a little less spread: the ten are different).
  CHECK(chi < 498 + 5 * 31.6);
  CHECK(chi > 498 - 5 * 31.6);
}
