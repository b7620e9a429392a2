#include "libcore/graph/coarsen.h"

#include <algorithm>

#include "libcore/base/rng.h"

namespace frugal {
namespace {

constexpr int kRounds = 4;
constexpr std::uint64_t kVisitStream = 0x636c7573;
constexpr NodeId kNone = 0xffffffff;

class LabelPropagation {
 public:
  LabelPropagation(const WeightedView& graph, const ClusterOptions& options)
      : graph_(graph),
        options_(options),
        labels_(graph.num_nodes()),
        weights_(graph.node_weights.begin(), graph.node_weights.end()),
        links_(graph.num_nodes()) {
    std::iota(labels_.begin(), labels_.end(), NodeId{0});
  }

  Clusters run() {
    const std::vector<NodeId> order = visits();
    for (int round = 0; round < kRounds; ++round) {
      std::size_t moved = 0;
      for (const NodeId v : order) moved += visit(v);
      if (moved * 100 < order.size()) break;
    }
    return numbered();
  }

 private:
  /// Ascending in degree, at random among equals.
  std::vector<NodeId> visits() const {
    std::vector<NodeId> nodes(graph_.num_nodes());
    std::iota(nodes.begin(), nodes.end(), NodeId{0});
    shuffle(nodes.data(), nodes.size(), Rng(options_.seed, kVisitStream));
    std::stable_sort(nodes.begin(), nodes.end(), [&](NodeId a, NodeId b) {
      return graph_.csr.degree(a) < graph_.csr.degree(b);
    });
    return nodes;
  }

  bool same_part(NodeId a, NodeId b) const {
    return options_.parts.empty() || options_.parts[a] == options_.parts[b];
  }

  bool visit(NodeId v) {
    graph_.for_each_edge(v, [&](NodeId u, std::uint32_t w) {
      if (same_part(u, v)) links_.add(labels_[u], w);
    });
    const NodeId before = labels_[v];
    NodeId best = before;
    std::uint64_t most = links_[before];
    for (const NodeId label : links_.keys()) {
      if (links_[label] > most && fits(v, label)) {
        best = label;
        most = links_[label];
      }
    }
    if (links_.keys().empty()) best = lonely_place(v);
    links_.clear();
    if (best == before) return false;
    weights_[before] -= graph_.node_weights[v];
    weights_[best] += graph_.node_weights[v];
    labels_[v] = best;
    return true;
  }

  bool fits(NodeId v, NodeId label) const {
    return weights_[label] + graph_.node_weights[v] <= options_.max_weight;
  }

  /// Nodes without edges (in their part) join each other, or they would keep the graph large.
  NodeId lonely_place(NodeId v) {
    if (labels_[v] == lonely_) return lonely_;
    if (lonely_ == kNone || !fits(v, lonely_) || !same_part(v, lonely_)) lonely_ = labels_[v];
    return lonely_;
  }

  Clusters numbered() const {
    Clusters clusters;
    clusters.of.resize(labels_.size());
    std::vector<NodeId> numbers(labels_.size(), kNone);
    for (std::size_t v = 0; v < labels_.size(); ++v) {
      NodeId& number = numbers[labels_[v]];
      if (number == kNone) number = clusters.count++;
      clusters.of[v] = number;
    }
    return clusters;
  }

  const WeightedView& graph_;
  const ClusterOptions& options_;
  std::vector<NodeId> labels_;
  std::vector<std::uint64_t> weights_;  ///< of clusters
  SparseSums links_;
  NodeId lonely_ = kNone;
};

}  // namespace

Clusters find_clusters(const WeightedView& graph, const ClusterOptions& options) {
  return LabelPropagation(graph, options).run();
}

WeightedGraph contract(const WeightedView& graph, const Clusters& clusters) {
  // Members of each cluster one behind the other.
  std::vector<std::size_t> ends(clusters.count + 1);
  for (const NodeId c : clusters.of) ++ends[c + 1];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<NodeId> members(clusters.of.size());
  for (NodeId v = 0; v < members.size(); ++v) members[ends[clusters.of[v]]++] = v;

  WeightedGraph coarse;
  coarse.offsets.push_back(0);
  SparseSums links(clusters.count);
  std::size_t at = 0;
  for (NodeId c = 0; c < clusters.count; ++c) {
    std::uint64_t weight = 0;
    for (; at < ends[c]; ++at) {
      weight += graph.node_weights[members[at]];
      graph.for_each_edge(members[at], [&](NodeId u, std::uint32_t w) {
        if (clusters.of[u] != c) links.add(clusters.of[u], w);
      });
    }
    for (const NodeId other : links.keys()) {
      coarse.neighbors.push_back(other);
      coarse.edge_weights.push_back(
          static_cast<std::uint32_t>(std::min<std::uint64_t>(links[other], 0xffffffff)));
    }
    links.clear();
    coarse.offsets.push_back(coarse.neighbors.size());
    coarse.node_weights.push_back(weight);
  }
  return coarse;
}

}  // namespace frugal
