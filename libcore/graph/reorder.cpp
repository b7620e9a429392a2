#include "libcore/graph/reorder.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "libcore/graph/build_graph.h"
#include "libcore/graph/rabbit_order.h"
#include "libcore/threading/parallel.h"

namespace frugal {
namespace {

Array<NodeId> degree_order(const CsrView& graph) {
  const std::vector<NodeId> nodes = nodes_by_degree(graph);
  Array<NodeId> new_ids(nodes.size(), uninitialized);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    new_ids[nodes[i]] = static_cast<NodeId>(nodes.size() - 1 - i);
  }
  return new_ids;
}

Array<NodeId> rcm_order(const CsrView& graph) {
  std::vector<NodeId> order;
  order.reserve(graph.num_nodes());
  std::vector<bool> known(graph.num_nodes());
  std::size_t done = 0;
  for (const NodeId start : nodes_by_degree(graph)) {
    if (known[start]) continue;
    known[start] = true;
    order.push_back(start);
    for (; done < order.size(); ++done) {
      const auto first = static_cast<std::ptrdiff_t>(order.size());
      for (const NodeId u : graph.row(order[done])) {
        if (!known[u]) order.push_back(u);
        known[u] = true;
      }
      std::stable_sort(order.begin() + first, order.end(),
                       [&](NodeId a, NodeId b) { return graph.degree(a) < graph.degree(b); });
    }
  }
  Array<NodeId> new_ids(order.size(), uninitialized);
  for (std::size_t i = 0; i < order.size(); ++i) {
    new_ids[order[i]] = static_cast<NodeId>(order.size() - 1 - i);
  }
  return new_ids;
}

template <class T>
Array<T> same_size(const Array<T>& array) {
  return Array<T>(array.size(), uninitialized);
}

/// One row of the permuted graph: what it is made of, sorted by the new sources or, as they are, by
/// time.
class RowMover {
 public:
  RowMover(const Graph& from, std::span<const NodeId> new_ids, Graph& to)
      : from_(from), new_ids_(new_ids), to_(to) {}

  void move(NodeId v) {
    const EdgeId begin = from_.offsets[v], end = from_.offsets[v + 1];
    entries_.clear();
    for (EdgeId e = begin; e < end; ++e) {
      entries_.push_back(std::uint64_t{new_ids_[from_.neighbors[e]]} << 32 | (e - begin));
    }
    if (from_.times.empty()) std::sort(entries_.begin(), entries_.end());
    EdgeId to = to_.offsets[new_ids_[v]];
    for (const std::uint64_t entry : entries_) {
      const EdgeId e = begin + (entry & 0xffffffff);
      to_.neighbors[to] = static_cast<NodeId>(entry >> 32);
      if (!to_.weights.empty()) to_.weights[to] = from_.weights[e];
      if (!to_.times.empty()) to_.times[to] = from_.times[e];
      if (!to_.edge_ids.empty()) to_.edge_ids[to] = from_.edge_ids[e];
      ++to;
    }
  }

 private:
  const Graph& from_;
  std::span<const NodeId> new_ids_;
  Graph& to_;
  std::vector<std::uint64_t> entries_;
};

}  // namespace

std::vector<NodeId> nodes_by_degree(const CsrView& graph) {
  std::vector<NodeId> nodes(graph.num_nodes());
  std::iota(nodes.begin(), nodes.end(), NodeId{0});
  std::stable_sort(nodes.begin(), nodes.end(),
                   [&](NodeId a, NodeId b) { return graph.degree(a) < graph.degree(b); });
  return nodes;
}

Array<NodeId> order_nodes(const CsrView& graph, NodeOrder order) {
  switch (order) {
    case NodeOrder::degree: return degree_order(graph);
    case NodeOrder::rcm: return rcm_order(graph);
    case NodeOrder::rabbit: return rabbit_order(graph);
  }
  return {};
}

Graph permute_graph(const Graph& graph, std::span<const NodeId> new_ids) {
  Graph to;
  to.offsets = Array<EdgeId>(graph.offsets.size());
  for (std::size_t v = 0; v < graph.num_nodes(); ++v) {
    to.offsets[new_ids[v] + 1] = graph.offsets[v + 1] - graph.offsets[v];
  }
  std::partial_sum(to.offsets.begin(), to.offsets.end(), to.offsets.begin());
  to.neighbors = same_size(graph.neighbors);
  to.weights = same_size(graph.weights);
  to.times = same_size(graph.times);
  to.edge_ids = same_size(graph.edge_ids);
  parallel_ranges(graph.num_nodes(), [&](std::size_t begin, std::size_t end, int) {
    RowMover mover(graph, new_ids, to);
    for (std::size_t v = begin; v < end; ++v) mover.move(static_cast<NodeId>(v));
  });
  return to;
}

Graph undirected_graph(const CsrView& graph) {
  constexpr std::size_t kChunk = std::size_t{1} << 22;
  EdgeList edges;
  edges.num_nodes = graph.num_nodes();
  for (NodeId v = 0; v < graph.num_nodes(); ++v) {
    if (edges.chunks.empty() || edges.chunks.back().size() >= kChunk) edges.chunks.emplace_back();
    EdgeChunk& chunk = edges.chunks.back();
    const std::span<const NodeId> row = graph.row(v);
    chunk.sources.insert(chunk.sources.end(), row.begin(), row.end());
    chunk.targets.insert(chunk.targets.end(), row.size(), v);
  }
  BuildOptions options;
  options.symmetrize = options.dedupe = true;
  options.self_loops = SelfLoops::remove;
  return build_graph(std::move(edges), options);
}

}  // namespace frugal
