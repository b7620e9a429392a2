#include "libcore/graph/reorder.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>
#include <vector>

#include "libcore/base/rng.h"
#include "libcore/graph/build_graph.h"
#include "libcore/graph/check_csr.h"
#include "libcore/graph/generate_edges.h"

using namespace frugal;

namespace {

constexpr NodeOrder kOrders[] = {NodeOrder::degree, NodeOrder::rcm, NodeOrder::rabbit};

Graph community_graph(std::uint64_t nodes, std::uint64_t edges, bool mixed) {
  const PlantedClasses classes(nodes, nodes / 50, mixed, 3);
  return build_graph(sbm_edges({edges, 0.9, 0, 1}, classes, [](std::uint64_t) {}),
                     {.symmetrize = true, .dedupe = true, .self_loops = SelfLoops::remove});
}

bool is_permutation(const Array<NodeId>& ids) {
  std::vector<NodeId> sorted(ids.begin(), ids.end());
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] != i) return false;
  }
  return true;
}

using CarriedEdge = std::tuple<NodeId, NodeId, float, double, EdgeId>;

std::vector<CarriedEdge> edges_of(const Graph& graph, const Array<NodeId>& new_ids) {
  std::vector<CarriedEdge> edges;
  for (NodeId v = 0; v < graph.num_nodes(); ++v) {
    for (EdgeId e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) {
      edges.emplace_back(
          new_ids[v], new_ids[graph.neighbors[e]], graph.weights.empty() ? 0 : graph.weights[e],
          graph.times.empty() ? 0 : graph.times[e], graph.edge_ids.empty() ? 0 : graph.edge_ids[e]);
    }
  }
  std::sort(edges.begin(), edges.end());
  return edges;
}

EdgeList sixty_nodes(bool weights, bool times) {
  EdgeList list;
  list.num_nodes = 60;
  EdgeChunk& chunk = list.chunks.emplace_back();
  Rng rng(4);
  for (int i = 0; i < 500; ++i) {
    chunk.sources.push_back(static_cast<NodeId>(rng.below(60)));
    chunk.targets.push_back(static_cast<NodeId>(rng.below(60)));
    if (weights) chunk.weights.push_back(static_cast<float>(i));
    if (times) chunk.times.push_back(static_cast<double>(rng.below(50)));
  }
  return list;
}

}  // namespace

TEST_CASE("every order gives each node a number of its own") {
  const Graph graph = community_graph(700, 3000, true);
  for (const NodeOrder order : kOrders) CHECK(is_permutation(order_nodes(graph.csr(), order)));
  const Graph directed = build_graph(sixty_nodes(false, false), {});
  for (const NodeOrder order : kOrders) CHECK(is_permutation(order_nodes(directed.csr(), order)));
  const Graph empty = build_graph(EdgeList{}, {});
  for (const NodeOrder order : kOrders) CHECK(order_nodes(empty.csr(), order).empty());
}

TEST_CASE("by degree the highest comes first") {
  const Graph graph = community_graph(300, 2000, true);
  const Array<NodeId> ids = order_nodes(graph.csr(), NodeOrder::degree);
  const Graph sorted = permute_graph(graph, {ids.data(), ids.size()});
  for (NodeId v = 1; v < 300; ++v) CHECK(sorted.csr().degree(v - 1) >= sorted.csr().degree(v));
}

TEST_CASE("a permuted graph has the same edges and what they carry, rows in order") {
  Array<NodeId> ids(60, uninitialized), same(60, uninitialized);
  std::iota(ids.begin(), ids.end(), NodeId{0});
  std::iota(same.begin(), same.end(), NodeId{0});
  shuffle(ids.data(), 60, Rng(8));
  for (const bool weights : {false, true}) {
    for (const bool times : {false, true}) {
      const Graph graph = build_graph(sixty_nodes(weights, times), {.edge_ids = true});
      const Graph moved = permute_graph(graph, {ids.data(), ids.size()});
      CHECK(edges_of(moved, same) == edges_of(graph, ids));
      check_csr(moved.csr(), 60, !times, "moved");
      if (times) check_times(moved.csr(), {moved.times.data(), moved.times.size()}, "moved");
    }
  }
}

TEST_CASE("an undirected graph has each edge in both rows once and no self loops") {
  const Graph graph = build_graph(sixty_nodes(false, false), {});
  const Graph both = undirected_graph(graph.csr());
  for (NodeId v = 0; v < 60; ++v) {
    const auto row = both.csr().row(v);
    CHECK(std::adjacent_find(row.begin(), row.end(), std::greater_equal<>()) == row.end());
    for (const NodeId u : row) {
      CHECK(u != v);
      const auto back = both.csr().row(u), in = graph.csr().row(v), out = graph.csr().row(u);
      CHECK(std::binary_search(back.begin(), back.end(), v));
      CHECK((std::binary_search(in.begin(), in.end(), u) ||
             std::binary_search(out.begin(), out.end(), v)));
    }
  }
}

TEST_CASE("orders that see communities bring neighbours together") {
  const Graph graph = community_graph(5000, 40000, true);
  const Locality before = measure_locality(graph.csr(), 32);
  const auto after = [&](NodeOrder order) {
    const Array<NodeId> ids = order_nodes(graph.csr(), order);
    return measure_locality(permute_graph(graph, {ids.data(), ids.size()}).csr(), 32);
  };
  const Locality rabbit = after(NodeOrder::rabbit),
                 planted = measure_locality(community_graph(5000, 40000, false).csr(), 32);
  CHECK(rabbit.log_gap < 0.7 * before.log_gap);
  CHECK(rabbit.hit_rate > 2 * before.hit_rate);
  CHECK(rabbit.log_gap < 1.3 * planted.log_gap);
  CHECK(after(NodeOrder::rcm).log_gap < before.log_gap);
}

TEST_CASE("the locality of a small graph is what one counts by hand") {
  EdgeList list;
  list.num_nodes = 200;
  list.chunks.push_back({{1, 3, 100, 3}, {0, 0, 1, 2}, {}, {}});
  // Lines 0, 0, 6, 0 in a cache of one set: the second and the last are hits.
  const Locality locality = measure_locality(build_graph(std::move(list), {}).csr(), 8);
  CHECK(locality.hit_rate == 0.5);
  CHECK(locality.log_gap == doctest::Approx((1 + 2 + 6.643856 + 1) / 4));
}
