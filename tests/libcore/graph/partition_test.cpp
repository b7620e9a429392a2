#include "libcore/graph/partition.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/rng.h"
#include "libcore/graph/build_graph.h"
#include "libcore/graph/generate_edges.h"
#include "libcore/graph/refine.h"

using namespace frugal;

namespace {

constexpr PartitionMethod kMethods[] = {PartitionMethod::ldg, PartitionMethod::multilevel};

Graph planted_graph(std::uint64_t nodes, std::uint64_t edges, std::uint64_t classes,
                    double homophily, double exponent = 0) {
  const PlantedClasses places(nodes, classes, true, 3);
  return build_graph(sbm_edges({edges, homophily, exponent, 1}, places, [](std::uint64_t) {}),
                     {.symmetrize = true, .dedupe = true, .self_loops = SelfLoops::remove});
}

/// A hub, a path, a clique and nodes without edges.
Graph odd_graph() {
  EdgeList list;
  list.num_nodes = 400;
  EdgeChunk& chunk = list.chunks.emplace_back();
  const auto join = [&](NodeId a, NodeId b) {
    chunk.sources.push_back(a);
    chunk.targets.push_back(b);
  };
  for (NodeId v = 1; v < 150; ++v) join(0, v);
  for (NodeId v = 150; v < 250; ++v) join(v, v + 1);
  for (NodeId a = 260; a < 280; ++a) {
    for (NodeId b = a; b < 280; ++b) join(a, b);  // self loops too
  }
  return build_graph(std::move(list), {.symmetrize = true});
}

std::uint64_t heaviest(const std::vector<NodeId>& parts, std::uint32_t count,
                       const std::vector<std::uint32_t>& weights = {}) {
  std::vector<std::uint64_t> loads(count);
  for (std::size_t v = 0; v < parts.size(); ++v)
    loads[parts[v]] += weights.empty() ? 1 : weights[v];
  return *std::max_element(loads.begin(), loads.end());
}

double cut_of(const Graph& graph, const std::vector<NodeId>& parts, std::uint32_t count) {
  return measure_partition(graph.csr(), parts, count, {}).cut;
}

}  // namespace

TEST_CASE("parts keep their bound, whatever the graph and the method") {
  const Graph planted = planted_graph(1000, 5000, 10, 0.8), odd = odd_graph();
  const Graph skewed = planted_graph(1000, 4000, 1, 0, 2.3), lonely = planted_graph(300, 1, 1, 0);
  for (const Graph* graph : {&planted, &odd, &skewed, &lonely}) {
    for (const PartitionMethod method : kMethods) {
      for (const std::uint32_t count : {1, 2, 7, 40}) {
        const std::vector<NodeId> parts =
            partition_graph(graph->csr(), {}, {.method = method, .parts = count});
        REQUIRE(parts.size() == graph->num_nodes());
        REQUIRE(*std::max_element(parts.begin(), parts.end()) < count);
        const double average = static_cast<double>(parts.size()) / count;
        CHECK(heaviest(parts, count) <= std::ceil(1.05 * average));
      }
    }
  }
}

TEST_CASE("the nodes of each group are balanced separately") {
  const Graph graph = planted_graph(1200, 8000, 6, 0.8);
  // Groups of 150, 250 and 800 nodes, which lie in different communities; some nodes are heavier.
  std::vector<std::uint32_t> groups, weights;
  for (NodeId v = 0; v < 1200; ++v) {
    groups.push_back(v < 150 ? 0 : v < 400 ? 1 : 2);
    weights.push_back(1 + v % 3);
  }
  for (const PartitionMethod method :
       {PartitionMethod::ldg, PartitionMethod::multilevel, PartitionMethod::random}) {
    const bool random = method == PartitionMethod::random;  // balances numbers, not weights
    const PartitionOptions options{.method = method, .parts = 5};
    const std::vector<NodeId> parts = partition_graph(graph.csr(), weights, options, groups);
    for (std::uint32_t g = 0; g < 3; ++g) {
      std::vector<std::uint32_t> of_group(1200);
      std::uint64_t sum = 0;
      for (NodeId v = 0; v < 1200; ++v) {
        of_group[v] = groups[v] != g ? 0 : random ? 1 : weights[v];
        sum += of_group[v];
      }
      CHECK(heaviest(parts, 5, of_group) <= part_capacity(sum, options));
    }
    CHECK(parts == partition_graph(graph.csr(), weights, options, groups));
    const std::vector<std::uint32_t> one(1200, 0);
    CHECK(partition_graph(graph.csr(), weights, options, one) ==
          partition_graph(graph.csr(), weights, options));
    if (!random) CHECK(cut_of(graph, parts, 5) < 0.62);  // 0.8 by chance
  }
}

TEST_CASE("groups of fewer nodes than parts leave no part empty") {
  const Graph lonely = planted_graph(120, 1, 1, 0), joined = planted_graph(120, 300, 4, 0.8);
  std::vector<std::uint32_t> groups;
  for (NodeId v = 0; v < 120; ++v) groups.push_back(v / 3);
  for (const Graph* graph : {&lonely, &joined}) {
    for (const PartitionMethod method :
         {PartitionMethod::ldg, PartitionMethod::multilevel, PartitionMethod::random}) {
      const PartitionOptions options{.method = method, .parts = 12};
      const std::vector<NodeId> parts = partition_graph(graph->csr(), {}, options, groups);
      CAPTURE(static_cast<int>(method));
      CHECK(heaviest(parts, 12) <= part_capacity(120, options));
      for (std::uint32_t g = 0; g < 40; ++g) {
        std::vector<std::uint32_t> of_group(120);
        for (NodeId v = 3 * g; v < 3 * g + 3; ++v) of_group[v] = 1;
        CHECK(heaviest(parts, 12, of_group) == 1);
      }
    }
  }
}

TEST_CASE("planted communities are found again") {
  const Graph graph = planted_graph(2000, 20000, 4, 0.9);
  const auto cut = [&](PartitionMethod method) {
    return cut_of(graph, partition_graph(graph.csr(), {}, {.method = method, .parts = 4}), 4);
  };
  CHECK(cut(PartitionMethod::random) > 0.7);
  CHECK(cut(PartitionMethod::ldg) < 0.6);
  CHECK(cut(PartitionMethod::multilevel) < 0.11);
}

TEST_CASE("weights are what is balanced") {
  const Graph graph = planted_graph(1500, 8000, 5, 0.8);
  std::vector<std::uint32_t> weights(1500);
  Rng rng(3);
  for (std::uint32_t& w : weights) w = 1 + static_cast<std::uint32_t>(rng.below(20));
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (const PartitionMethod method : kMethods) {
    const auto parts = partition_graph(graph.csr(), weights, {.method = method, .parts = 6});
    CHECK(heaviest(parts, 6, weights) <= std::ceil(1.05 * total / 6));
  }
}

TEST_CASE("seeds change parts, nothing else does") {
  const Graph graph = planted_graph(500, 3000, 5, 0.5);
  const auto parts = [&](std::uint64_t seed) {
    return partition_graph(graph.csr(), {}, {.parts = 5, .seed = seed});
  };
  CHECK(parts(1) == parts(1));
  CHECK(parts(1) != parts(2));
}

TEST_CASE("the quality of a partition is what one counts by hand") {
  EdgeList list;
  list.num_nodes = 4;
  list.chunks.push_back({{0, 1, 2, 3}, {1, 0, 1, 1}, {}, {}});
  const Graph graph = build_graph(std::move(list), {});
  const std::vector<NodeId> parts = {0, 0, 0, 1};
  const std::vector<std::uint8_t> marked = {1, 0, 0, 1};
  const PartitionQuality quality = measure_partition(graph.csr(), parts, 2, marked);
  CHECK(quality.cut == 0.25);
  CHECK(quality.node_balance == 1.5);
  CHECK(quality.edge_balance == 2);
  CHECK(quality.marked_balance == 1);
  CHECK(measure_partition(graph.csr(), parts, 2, {}).marked_balance == 0);
}

TEST_CASE("refining repairs what is too heavy and makes the cut smaller") {
  const Graph graph = planted_graph(600, 3000, 3, 0.8);
  const std::vector<std::uint64_t> ones(600, 1);
  const WeightedView view{graph.csr(), ones};
  const std::uint64_t capacity[] = {210};
  std::vector<NodeId> all_in_one(600, 0), random(600);
  refine(view, capacity, 3, all_in_one);
  CHECK(heaviest(all_in_one, 3) <= 210);
  for (NodeId v = 0; v < 600; ++v) random[v] = v % 3;
  const double before = cut_of(graph, random, 3);
  refine(view, capacity, 3, random);
  CHECK(cut_of(graph, random, 3) < 0.9 * before);
  CHECK(heaviest(random, 3) <= 210);
}

TEST_CASE("a node heavier than a part leaves the others balanced") {
  const Graph graph = odd_graph();
  std::vector<std::uint32_t> weights(400, 1);
  weights[0] = 1000;  // more than half of all
  const auto parts = partition_graph(graph.csr(), weights, {.parts = 8});
  for (NodeId v = 1; v < 400; ++v) CHECK(parts[v] != parts[0]);
  weights[0] = 0;  // of the rest
  CHECK(heaviest(parts, 8, weights) <= std::ceil(1.05 * 1399 / 8));
}

TEST_CASE("multilevel refuses weights beyond METIS's integers, ldg does not") {
  const Graph graph = planted_graph(10, 20, 1, 0);
  const std::vector<std::uint32_t> weights(10, 0x40000000);
  const std::string expected =
      "the graph has " + std::to_string(graph.num_edges()) +
      " edges (both directions) and nodes of weight 10737418240, but METIS, "
      "which makes multilevel parts, counts to 2147483647; expected "
      "--method ldg for such a graph";
  CHECK_THROWS_WITH_AS(partition_graph(graph.csr(), weights, {.parts = 2}), expected.c_str(),
                       Error);
  const auto parts =
      partition_graph(graph.csr(), weights, {.method = PartitionMethod::ldg, .parts = 2});
  CHECK(heaviest(parts, 2) == 5);
}

TEST_CASE("multilevel refuses more nodes and groups than METIS has places for their weights") {
  const Graph graph = planted_graph(50000, 10, 1, 0);
  std::vector<std::uint32_t> groups(50000);
  std::iota(groups.begin(), groups.end(), 0);
  CHECK_THROWS_WITH_AS(partition_graph(graph.csr(), {}, {.parts = 2}, groups),
                       doctest::Contains("in 50000 types, but METIS"), Error);
}

TEST_CASE("more parts than nodes, or none, are refused") {
  const Graph graph = planted_graph(10, 20, 1, 0);
  CHECK_THROWS_WITH_AS(partition_graph(graph.csr(), {}, {.parts = 11}),
                       "the number of parts is 11, expected 1 to the 10 nodes that there are",
                       Error);
  CHECK_THROWS_AS(partition_graph(graph.csr(), {}, {.parts = 0}), Error);
  CHECK_THROWS_AS(partition_graph(graph.csr(), {}, {.parts = 2, .imbalance = 0.9}), Error);
}
