#include "libcore/graph/reorder.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <tuple>
#include <vector>

#include "libcore/base/rng.h"
#include "libcore/graph/build_graph.h"
#include "libcore/graph/csr.h"
#include "libcore/graph/generate_edges.h"

using namespace frugal;

namespace {

constexpr NodeOrder kOrders[] = {NodeOrder::degree, NodeOrder::rcm, NodeOrder::rabbit};

Graph community_graph(std::uint64_t nodes, std::uint64_t edges, bool mixed) {
  const PlantedClasses classes(nodes, nodes / 50, mixed, 3);
  return build_graph(sbm_edges({edges, 0.9, 0, 1}, classes, [](std::uint64_t) {}),
                     {.symmetrize = true, .dedupe = true, .self_loops = SelfLoops::remove});
}

/// Mean of log2(1 + |source - target|) over the edges: how near neighbours lie to each other.
double mean_log_gap(const CsrView& graph) {
  double sum = 0;
  for (NodeId v = 0; v < graph.num_nodes(); ++v) {
    for (const NodeId u : graph.row(v)) sum += std::log2(1.0 + (u > v ? u - v : v - u));
  }
  return sum / static_cast<double>(graph.num_edges());
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
  const auto gap_after = [&](NodeOrder order) {
    const Array<NodeId> ids = order_nodes(graph.csr(), order);
    return mean_log_gap(permute_graph(graph, {ids.data(), ids.size()}).csr());
  };
  const double before = mean_log_gap(graph.csr());
  const double planted = mean_log_gap(community_graph(5000, 40000, false).csr());
  const double rabbit = gap_after(NodeOrder::rabbit);
  CHECK(rabbit < 0.7 * before);
  CHECK(rabbit < 1.3 * planted);
  CHECK(gap_after(NodeOrder::rcm) < before);
}
