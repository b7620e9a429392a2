#include "libcore/graph/reorder.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "libcore/graph/build_graph.h"
#include "libcore/threading/parallel.h"

namespace frugal {
namespace {

constexpr NodeId kNobody = 0xffffffff;

struct Link {
  NodeId to = 0;
  std::uint32_t weight = 0;
};

class RabbitOrder {
 public:
  explicit RabbitOrder(const CsrView& graph)
      : graph_(graph),
        community_(graph.num_nodes()),
        degree_(graph.num_nodes()),
        first_child_(graph.num_nodes(), kNobody),
        sibling_(graph.num_nodes(), kNobody),
        weight_to_(graph.num_nodes()),
        links_(graph.num_nodes()) {
    std::iota(community_.begin(), community_.end(), NodeId{0});
    for (NodeId v = 0; v < graph.num_nodes(); ++v) degree_[v] = graph.degree(v);
  }

  Array<NodeId> run() {
    const std::vector<NodeId> visits = nodes_by_degree(graph_);
    for (const NodeId v : visits) visit(v);
    return number(visits);
  }

 private:
  NodeId root(NodeId v) {
    while (community_[v] != v) {
      community_[v] = community_[community_[v]];
      v = community_[v];
    }
    return v;
  }

  void add_link(NodeId to, std::uint32_t weight, NodeId self, std::vector<NodeId>& found) {
    const NodeId community = root(to);
    if (community == self) return;
    if (weight_to_[community] == 0) found.push_back(community);
    weight_to_[community] += weight;
  }

  /// The links of v and of all who joined it, to communities.
  std::vector<Link> gather(NodeId v) {
    std::vector<NodeId> found;
    for (const NodeId u : graph_.row(v)) add_link(u, 1, v, found);
    for (NodeId c = first_child_[v]; c != kNobody; c = sibling_[c]) {
      for (const Link& link : links_[c]) add_link(link.to, link.weight, v, found);
      links_[c] = {};
    }
    std::vector<Link> links;
    links.reserve(found.size());
    for (const NodeId u : found) links.push_back({u, std::exchange(weight_to_[u], 0)});
    return links;
  }

  void visit(NodeId v) {
    std::vector<Link> links = gather(v);
    const auto all = static_cast<double>(graph_.num_edges());
    NodeId best = kNobody;
    double best_gain = 0;
    for (const Link& link : links) {
      // Half of the gain of modularity (equation 1), times the number of edges.
      const double gain = link.weight - degree_[v] * degree_[link.to] / all;
      if (gain > best_gain || (gain == best_gain && best != kNobody && link.to < best)) {
        best = link.to;
        best_gain = gain;
      }
    }
    if (best == kNobody) return;
    community_[v] = best;
    degree_[best] += degree_[v];
    sibling_[v] = first_child_[best];
    first_child_[best] = v;
    links_[v] = std::move(links);
  }

  Array<NodeId> number(const std::vector<NodeId>& visits) const {
    Array<NodeId> new_ids(graph_.num_nodes(), uninitialized);
    std::vector<NodeId> stack;
    NodeId next = 0;
    for (const NodeId v : visits) {
      if (community_[v] == v) stack.push_back(v);
      while (!stack.empty()) {
        const NodeId u = stack.back();
        stack.pop_back();
        new_ids[u] = next++;
        for (NodeId c = first_child_[u]; c != kNobody; c = sibling_[c]) stack.push_back(c);
      }
    }
    return new_ids;
  }

  const CsrView& graph_;
  std::vector<NodeId> community_;  ///< whom a node joined, by and by its root
  std::vector<double> degree_;     ///< of the community whose root a node is
  std::vector<NodeId> first_child_, sibling_;
  std::vector<std::uint32_t> weight_to_;  ///< zero but inside gather()
  std::vector<std::vector<Link>> links_;  ///< of those who joined, for whom they joined to read
};

}  // namespace

Array<NodeId> rabbit_order(const CsrView& graph) { return RabbitOrder(graph).run(); }

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
