#include "libcore/graph/build_graph.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "libcore/base/error.h"
#include "libcore/base/rng.h"
#include "libcore/graph/csr.h"
#include "libcore/threading/parallel.h"

using namespace frugal;

namespace {

struct Kind {
  bool weights = false, times = false;
};

EdgeList random_edges(std::uint64_t nodes, std::size_t edges, Kind kind, std::uint64_t seed) {
  EdgeList list;
  list.num_nodes = nodes;
  Rng rng(seed);
  while (edges > 0) {
    EdgeChunk chunk;
    const std::size_t size = std::min<std::size_t>(edges, rng.below(400));
    for (std::size_t i = 0; i < size; ++i) {
      chunk.sources.push_back(static_cast<NodeId>(rng.below(nodes)));
      const bool loop = rng.below(10) == 0;
      chunk.targets.push_back(loop ? chunk.sources.back() : static_cast<NodeId>(rng.below(nodes)));
      if (kind.weights) chunk.weights.push_back(static_cast<float>(1 + rng.below(8)));
      if (kind.times) chunk.times.push_back(static_cast<double>(rng.below(20)));
    }
    edges -= size;
    list.chunks.push_back(std::move(chunk));
  }
  return list;
}

struct Edge {
  NodeId target, source;
  float weight = 0;
  double time = 0;
  EdgeId id = 0;
};

/// Plain code that does what build_graph() promises.
std::vector<Edge> reference(const EdgeList& list, const BuildOptions& options,
                            BuildReport& report) {
  std::vector<Edge> edges;
  std::vector<bool> loops(list.num_nodes);
  EdgeId id = 0;
  bool timed = false;
  for (const EdgeChunk& chunk : list.chunks) {
    timed |= !chunk.times.empty();
    for (std::size_t i = 0; i < chunk.size(); ++i, ++id) {
      const float weight = chunk.weights.empty() ? 0 : chunk.weights[i];
      const double time = chunk.times.empty() ? 0 : chunk.times[i];
      const NodeId s = chunk.sources[i], t = chunk.targets[i];
      if (s == t) {
        loops[s] = true;
        ++report.self_loops;
        if (options.self_loops == SelfLoops::remove) continue;
      }
      edges.push_back({t, s, weight, time, id});
      if (options.symmetrize && s != t) edges.push_back({s, t, weight, time, id});
    }
  }
  for (NodeId v = 0; v < list.num_nodes && options.self_loops == SelfLoops::add; ++v) {
    if (!loops[v]) edges.push_back({v, v, 1, 0, kAddedEdge});
  }
  std::stable_sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    return std::tie(a.target, a.source, a.time) < std::tie(b.target, b.source, b.time);
  });
  std::vector<Edge> kept;
  for (const Edge& edge : edges) {
    const bool again =
        !kept.empty() && kept.back().target == edge.target && kept.back().source == edge.source;
    report.duplicates += again && (!timed || options.dedupe);
    if (!again || !options.dedupe) {
      kept.push_back(edge);
    } else if (options.merge == MergeWeights::sum) {
      kept.back().weight += edge.weight;
    }
  }
  if (timed) {
    std::stable_sort(kept.begin(), kept.end(), [](const Edge& a, const Edge& b) {
      return std::tie(a.target, a.time, a.id) < std::tie(b.target, b.time, b.id);
    });
  }
  std::vector<bool> touched(list.num_nodes);
  for (const Edge& edge : kept) touched[edge.source] = touched[edge.target] = true;
  report.isolated = static_cast<std::uint64_t>(std::count(touched.begin(), touched.end(), false));
  return kept;
}

void compare(const Graph& graph, const std::vector<Edge>& expected) {
  REQUIRE(graph.num_edges() == expected.size());
  std::size_t e = 0, wrong = 0;
  for (NodeId v = 0; v < graph.num_nodes(); ++v) {
    for (; e < graph.offsets[v + 1]; ++e) {
      wrong += graph.neighbors[e] != expected[e].source || v != expected[e].target;
      if (!graph.weights.empty()) wrong += graph.weights[e] != expected[e].weight;
      if (!graph.times.empty()) wrong += graph.times[e] != expected[e].time;
      if (!graph.edge_ids.empty()) wrong += graph.edge_ids[e] != expected[e].id;
    }
  }
  CHECK(wrong == 0);
  CHECK(e == expected.size());
}

EdgeList list_of(std::uint64_t nodes, std::vector<NodeId> sources, std::vector<NodeId> targets) {
  EdgeList list;
  list.num_nodes = nodes;
  list.chunks.push_back({std::move(sources), std::move(targets), {}, {}});
  return list;
}

template <class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("a graph holds what plain code makes of its edges, whatever the options") {
  const int threads = num_threads();
  set_num_threads(1);  // many small graphs: a team takes longer to wake
  std::uint64_t seed = 0;
  for (const Kind kind : {Kind{}, Kind{true, false}, Kind{false, true}, Kind{true, true}}) {
    for (const SelfLoops loops : {SelfLoops::keep, SelfLoops::remove, SelfLoops::add}) {
      if (kind.times && loops == SelfLoops::add) continue;
      for (int bits = 0; bits < 16; ++bits) {
        const BuildOptions options{
            .symmetrize = (bits & 1) != 0,
            .dedupe = (bits & 2) != 0,
            .merge = (bits & 4) != 0 ? MergeWeights::sum : MergeWeights::first,
            .self_loops = loops,
            .edge_ids = (bits & 8) != 0};
        ++seed;
        const EdgeList edges = random_edges(seed % 3 == 0 ? 3000 : 40, 1200, kind, seed);
        BuildReport expected, got;
        const std::vector<Edge> all = reference(edges, options, expected);
        const Graph graph = build_graph(EdgeList(edges), options, &got);
        CAPTURE(seed);
        compare(graph, all);
        CHECK(got.self_loops == expected.self_loops);
        CHECK(got.duplicates == expected.duplicates);
        CHECK(got.isolated == expected.isolated);
        CHECK(graph.weights.empty() == !kind.weights);
        CHECK(graph.times.empty() == !kind.times);
        CHECK(graph.edge_ids.empty() == !options.edge_ids);
        check_csr(graph.csr(), graph.num_nodes(), !kind.times, "graph");
        if (kind.times) check_times(graph.csr(), {graph.times.data(), graph.times.size()}, "graph");
      }
    }
  }
  set_num_threads(threads);
}

TEST_CASE("any number of threads builds the same graph") {
  const int before = num_threads();
  const BuildOptions options{.symmetrize = true, .dedupe = true, .edge_ids = true};
  set_num_threads(1);
  const Graph one = build_graph(random_edges(5000, 40000, {true, false}, 9), options);
  set_num_threads(4);
  const Graph four = build_graph(random_edges(5000, 40000, {true, false}, 9), options);
  set_num_threads(before);
  REQUIRE(one.num_edges() == four.num_edges());
  CHECK(std::equal(one.offsets.begin(), one.offsets.end(), four.offsets.begin()));
  CHECK(std::equal(one.neighbors.begin(), one.neighbors.end(), four.neighbors.begin()));
  CHECK(std::equal(one.weights.begin(), one.weights.end(), four.weights.begin()));
  CHECK(std::equal(one.edge_ids.begin(), one.edge_ids.end(), four.edge_ids.begin()));
}

TEST_CASE("many edges into few nodes, which are sorted another way, make the same graph") {
  for (const bool dedupe : {false, true}) {
    const BuildOptions options{.symmetrize = true, .dedupe = dedupe};
    const EdgeList edges = random_edges(1500, 40000, {}, 5);
    BuildReport expected, got;
    const std::vector<Edge> all = reference(edges, options, expected);
    compare(build_graph(EdgeList(edges), options, &got), all);
    CHECK(got.duplicates == expected.duplicates);
  }
}

TEST_CASE("sources of two or three digits are sorted, too") {
  for (const std::uint64_t nodes : {5000, 5000000}) {
    EdgeList edges;
    edges.num_nodes = nodes;
    EdgeChunk& chunk = edges.chunks.emplace_back();
    Rng rng(3);
    for (int i = 0; i < 30000; ++i) {
      chunk.sources.push_back(static_cast<NodeId>(rng.below(nodes)));
      chunk.targets.push_back(static_cast<NodeId>(rng.below(50)));
    }
    BuildReport expected;
    const std::vector<Edge> all = reference(edges, {}, expected);
    compare(build_graph(EdgeList(edges), {}), all);
  }
}

TEST_CASE("a graph may have nodes without edges, or nothing at all") {
  BuildReport report;
  const Graph empty = build_graph(EdgeList{}, {}, &report);
  CHECK(empty.num_nodes() == 0);
  CHECK(empty.num_edges() == 0);
  const Graph lonely = build_graph(list_of(3, {}, {}), {}, &report);
  CHECK(lonely.num_nodes() == 3);
  CHECK(report.isolated == 3);
  CHECK(build_graph(list_of(3, {}, {}), {.self_loops = SelfLoops::add}).num_edges() == 3);
}

TEST_CASE("edges that make no graph are refused") {
  CHECK(error_of([] {
          build_graph(list_of(3, {0, 1}, {1, 3}), {});
        }) == "edge 1 joins nodes 1 and 3, but there are 3 nodes, counted from 0");
  CHECK(error_of([] {
          build_graph(list_of(3, {0, 1}, {1}), {});
        }) == "there are 2 sources of edges, but 1 targets");
  CHECK(error_of([] {
          build_graph(EdgeList{std::uint64_t{1} << 32, {}}, {});
        }) == "there are 4294967296 nodes, at most 2^32 - 1 fit");
  EdgeList some = list_of(3, {0, 1}, {1, 2});
  some.chunks.push_back({{0}, {2}, {1.0F}, {}});
  CHECK(error_of([&] { build_graph(std::move(some), {}); }) ==
        "some of the 3 edges have weights or times, expected all or none of them");
  EdgeList timed = list_of(3, {0}, {1});
  timed.chunks[0].times = {1.0};
  CHECK(error_of([&] { build_graph(EdgeList(timed), {.self_loops = SelfLoops::add}); }) ==
        "edges have times, so self loops, which would have none, cannot be added");
  timed.chunks[0].times = {std::nan("")};
  CHECK(error_of([&] { build_graph(std::move(timed), {}); }) ==
        "the time of the edge from 0 to 1 is no number");
}

TEST_CASE("weights that sum to more than a float holds are refused") {
  EdgeList list;
  list.num_nodes = 3;
  list.chunks.push_back({{0, 1, 1}, {1, 2, 2}, {1, 3e38F, 3e38F}, {}});
  BuildOptions options;
  options.dedupe = true;
  options.merge = MergeWeights::sum;
  CHECK_THROWS_WITH_AS(build_graph(std::move(list), options),
                       "the weights of the edges from 1 to 2 sum to more than the largest float",
                       Error);
}
