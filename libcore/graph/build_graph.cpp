#include "libcore/graph/build_graph.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/graph/bucket_rows.h"
#include "libcore/threading/parallel.h"

namespace frugal {
namespace {

constexpr std::uint64_t kMostNodes = 0xffffffff;

void check(const EdgeList& edges, const BuildOptions& options) {
  if (edges.num_nodes > kMostNodes) {
    fail(ExitStatus::bad_input, "there are ", edges.num_nodes, " nodes, at most 2^32 - 1 fit");
  }
  const std::uint64_t all = edges.num_edges();
  std::uint64_t weights = 0, times = 0;
  for (const EdgeChunk& chunk : edges.chunks) {
    if (chunk.targets.size() != chunk.size()) {
      fail(ExitStatus::bad_input, "there are ", chunk.size(), " sources of edges, but ",
           chunk.targets.size(), " targets");
    }
    weights += chunk.weights.size();
    times += chunk.times.size();
    if ((!chunk.weights.empty() && chunk.weights.size() != chunk.size()) ||
        (!chunk.times.empty() && chunk.times.size() != chunk.size())) {
      weights = times = all + 1;
    }
  }
  if ((weights != 0 && weights != all) || (times != 0 && times != all)) {
    fail(ExitStatus::bad_input, "some of the ", all,
         " edges have weights or times, expected all or none of them");
  }
  if (times != 0 && options.self_loops == SelfLoops::add) {
    fail(ExitStatus::usage,
         "edges have times, so self loops, which would have none, cannot be added");
  }
}

/// Fails at a time that is no number: nothing is before or behind it.
void check_times(const EdgeList& edges) {
  parallel_for(edges.chunks.size(), 1, [&](std::size_t c) {
    const std::vector<double>& times = edges.chunks[c].times;
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (std::isnan(times[i])) {
        fail(ExitStatus::bad_input, "the time of the edge from ", edges.chunks[c].sources[i],
             " to ", edges.chunks[c].targets[i], " is no number");
      }
    }
  });
}

/// Fails at a sum of weights that a float does not hold.
void check_sums(const Graph& graph) {
  parallel_ranges(graph.weights.size(), [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t e = begin; e < end; ++e) {
      if (std::isfinite(graph.weights[e])) continue;
      const auto after = std::upper_bound(graph.offsets.begin(), graph.offsets.end(), EdgeId{e});
      fail(ExitStatus::bad_input, "the weights of the edges from ", graph.neighbors[e], " to ",
           after - graph.offsets.begin() - 1, " sum to more than the largest float");
    }
  });
}

std::uint64_t count_self_loops(const EdgeList& edges) {
  std::atomic<std::uint64_t> total{0};
  parallel_for(edges.chunks.size(), 1, [&](std::size_t c) {
    const EdgeChunk& chunk = edges.chunks[c];
    std::uint64_t n = 0;
    for (std::size_t i = 0; i < chunk.size(); ++i) n += chunk.sources[i] == chunk.targets[i];
    total += n;
  });
  return total;
}

/// One more chunk with the loops of nodes that have none.
void add_self_loops(EdgeList& edges) {
  std::vector<bool> has(edges.num_nodes);
  bool weights = false;
  for (const EdgeChunk& chunk : edges.chunks) {
    weights |= !chunk.weights.empty();
    for (std::size_t i = 0; i < chunk.size(); ++i) {
      if (chunk.sources[i] == chunk.targets[i] && chunk.sources[i] < edges.num_nodes) {
        has[chunk.sources[i]] = true;
      }
    }
  }
  EdgeChunk loops;
  for (std::uint64_t v = 0; v < edges.num_nodes; ++v) {
    if (!has[v]) loops.sources.push_back(static_cast<NodeId>(v));
  }
  loops.targets = loops.sources;
  if (weights) loops.weights.assign(loops.size(), 1.0F);
  edges.chunks.push_back(std::move(loops));
}

/// The rows of all ranges; their lengths go to offsets, behind the first element.
std::vector<BucketRows> make_all_rows(std::vector<EdgeBucket>&& buckets,
                                      const BuildOptions& options, const NodeRanges& nodes,
                                      Array<EdgeId>& offsets) {
  std::vector<BucketRows> rows(buckets.size());
  std::atomic<std::size_t> next{0};
  parallel_threads([&](int) {
    RowWorkspace work{static_cast<int>(std::bit_width(nodes.num_nodes)), {}};
    for (std::size_t b; (b = next.fetch_add(1)) < buckets.size();) {
      rows[b] =
          make_rows(std::move(buckets[b]), options,
                    {offsets.data() + nodes.begin(b) + 1, nodes.end(b) - nodes.begin(b)}, work);
    }
  });
  return rows;
}

template <class T>
void move_to(Array<T>& to, std::size_t at, Array<T>& from, std::size_t size) {
  if (from.empty()) return;
  std::copy_n(from.data(), size, to.data() + at);
  from = {};
}

/// Puts the rows of all ranges one behind the other; offsets have the rows' lengths, behind their
/// first element.
Graph join(std::vector<BucketRows>&& ranges, const NodeRanges& nodes, Array<EdgeId>&& offsets) {
  std::vector<std::uint64_t> begins(ranges.size() + 1);
  for (std::size_t r = 0; r < ranges.size(); ++r) begins[r + 1] = begins[r] + ranges[r].size;
  Graph graph;
  graph.offsets = std::move(offsets);
  const auto has = [&](auto member) {
    return std::any_of(ranges.begin(), ranges.end(),
                       [&](const BucketRows& rows) { return !(rows.*member).empty(); });
  };
  const std::uint64_t size = begins.back();
  graph.neighbors = Array<NodeId>(size, uninitialized);
  if (has(&BucketRows::weights)) graph.weights = Array<float>(size, uninitialized);
  if (has(&BucketRows::times)) graph.times = Array<double>(size, uninitialized);
  if (has(&BucketRows::ids)) graph.edge_ids = Array<EdgeId>(size, uninitialized);
  parallel_for(ranges.size(), 1, [&](std::size_t r) {
    BucketRows& rows = ranges[r];
    EdgeId end = begins[r];
    for (std::uint64_t v = nodes.begin(r); v < nodes.end(r); ++v) {
      end += graph.offsets[v + 1];
      graph.offsets[v + 1] = end;
    }
    move_to(graph.neighbors, begins[r], rows.neighbors, rows.size);
    move_to(graph.weights, begins[r], rows.weights, rows.size);
    move_to(graph.times, begins[r], rows.times, rows.size);
    move_to(graph.edge_ids, begins[r], rows.ids, rows.size);
  });
  return graph;
}

/// Marks what a directed graph's edges come from; relaxed: the marks are counted after the loop.
std::vector<std::uint64_t> sources_of(const Graph& graph) {
  std::vector<std::uint64_t> marks(graph.num_nodes() / 64 + 1);
  parallel_ranges(graph.num_edges(), [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t e = begin; e < end; ++e) {
      const NodeId source = graph.neighbors[e];
      const std::uint64_t bit = std::uint64_t{1} << (source % 64);
      const std::atomic_ref word(marks[source / 64]);
      if ((word.load(std::memory_order_relaxed) & bit) == 0) {
        word.fetch_or(bit, std::memory_order_relaxed);
      }
    }
  });
  return marks;
}

std::uint64_t count_isolated(const Graph& graph, bool symmetric) {
  const std::vector<std::uint64_t> marks =
      symmetric ? std::vector<std::uint64_t>() : sources_of(graph);
  std::uint64_t isolated = 0;
  for (std::size_t v = 0; v < graph.num_nodes(); ++v) {
    if (graph.offsets[v + 1] != graph.offsets[v]) continue;
    isolated += symmetric || (marks[v / 64] >> (v % 64) & 1) == 0;
  }
  return isolated;
}

}  // namespace

Graph build_graph(EdgeList&& edges, const BuildOptions& options, BuildReport* report) {
  check(edges, options);
  check_times(edges);
  const EdgeId num_input = edges.num_edges();
  const std::uint64_t self_loops = report == nullptr ? 0 : count_self_loops(edges);
  if (options.self_loops == SelfLoops::add) add_self_loops(edges);
  const NodeRanges nodes = NodeRanges::of(edges.num_nodes);
  std::vector<EdgeBucket> buckets = partition_edges(std::move(edges), options, nodes);
  Array<EdgeId> offsets(nodes.num_nodes + 1);
  std::vector<BucketRows> rows = make_all_rows(std::move(buckets), options, nodes, offsets);
  std::uint64_t duplicates = 0;
  for (const BucketRows& range : rows) duplicates += range.duplicates;
  Graph graph = join(std::move(rows), nodes, std::move(offsets));
  if (options.dedupe && options.merge == MergeWeights::sum) check_sums(graph);
  for (EdgeId& id : graph.edge_ids) {
    if (id >= num_input) id = kAddedEdge;
  }
  if (report != nullptr) {
    *report = {self_loops, duplicates, count_isolated(graph, options.symmetrize)};
  }
  return graph;
}

}  // namespace frugal
