#include "libcore/graph/rabbit_order.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "libcore/graph/reorder.h"

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

}  // namespace frugal
