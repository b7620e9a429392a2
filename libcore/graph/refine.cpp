#include "libcore/graph/refine.h"

#include <algorithm>
#include <queue>
#include <tuple>

namespace frugal {
namespace {

constexpr int kGreedyRounds = 8, kSearches = 6;
/// Above, moving a node means looking at too many others again.
constexpr std::size_t kMaxSearchDegree = 512;
constexpr std::size_t kMaxSearchEdges = 20'000'000;

struct Move {
  std::int64_t gain = 0;  ///< weight that leaves the cut
  NodeId node = 0, to = 0;
  bool operator<(const Move& other) const {
    return std::tie(gain, other.node) < std::tie(other.gain, node);
  }
};

class Refiner {
 public:
  Refiner(const WeightedView& graph, std::span<const std::uint64_t> capacities,
          std::vector<NodeId>& parts)
      : graph_(graph),
        capacities_(capacities),
        parts_(parts),
        loads_(capacities.size()),
        links_(capacities.size()) {
    for (NodeId v = 0; v < graph.num_nodes(); ++v) loads_[parts[v]] += graph.node_weights[v];
  }

  void greedy() {
    for (int round = 0; round < kGreedyRounds; ++round) {
      std::size_t moved = 0;
      for (NodeId v = 0; v < graph_.num_nodes(); ++v) {
        const Move move = best_move(v);
        if (move.to == parts_[v] || !worth(move)) continue;
        apply(v, move.to);
        ++moved;
      }
      if (moved * 1000 <= graph_.num_nodes()) break;
    }
  }

  /// One search; whether it found something better.
  bool search() {
    std::priority_queue<Move> queue;
    std::vector<bool> locked(graph_.num_nodes());
    for (NodeId v = 0; v < graph_.num_nodes(); ++v) {
      const Move move = best_move(v);
      if (move.to != parts_[v] && on_boundary_) queue.push(move);
    }
    std::vector<std::pair<NodeId, NodeId>> log;  // node, where it was
    std::size_t best_length = 0;
    std::int64_t gain = 0, best_gain = 0;
    const std::size_t patience = 100 + graph_.num_nodes() / 100;
    while (!queue.empty() && log.size() < best_length + patience) {
      const Move move = queue.top();
      queue.pop();
      if (locked[move.node]) continue;
      const Move now = best_move(move.node);
      if (now.to == parts_[move.node]) continue;
      if (now.gain < move.gain) {
        queue.push(now);  // it lost since it was queued
        continue;
      }
      locked[now.node] = true;
      log.emplace_back(now.node, parts_[now.node]);
      apply(now.node, now.to);
      gain += now.gain;
      if (gain > best_gain) {
        best_gain = gain;
        best_length = log.size();
      }
      queue_neighbors(now.node, locked, queue);
    }
    for (; log.size() > best_length; log.pop_back()) apply(log.back().first, log.back().second);
    return best_gain > 0;
  }

  CutState state() const {
    CutState state;
    for (std::size_t p = 0; p < loads_.size(); ++p) {
      state.overload += loads_[p] - std::min(loads_[p], capacities_[p]);
    }
    for (NodeId v = 0; v < graph_.num_nodes(); ++v) {
      graph_.for_each_edge(v, [&](NodeId u, std::uint32_t w) {
        if (u < v && parts_[u] != parts_[v]) state.cut += w;
      });
    }
    return state;
  }

 private:
  /// The best part for v of those that have room, its own if there is none.
  Move best_move(NodeId v) {
    links_.clear();
    graph_.for_each_edge(v, [&](NodeId u, std::uint32_t w) { links_.add(parts_[u], w); });
    const NodeId own = parts_[v];
    const auto inside = static_cast<std::int64_t>(links_[own]);
    on_boundary_ = links_.keys().size() > (links_[own] == 0 ? 0 : 1);
    Move best{0, v, own};
    const auto consider = [&](NodeId part) {
      if (part == own || loads_[part] + graph_.node_weights[v] > capacities_[part]) return;
      const std::int64_t gain = static_cast<std::int64_t>(links_[part]) - inside;
      const bool first = best.to == own;
      if (first || gain > best.gain || (gain == best.gain && loads_[part] < loads_[best.to])) {
        best = {gain, v, part};
      }
    };
    for (const NodeId part : links_.keys()) consider(part);
    if (loads_[own] > capacities_[own]) {
      consider(
          static_cast<NodeId>(std::min_element(loads_.begin(), loads_.end()) - loads_.begin()));
    }
    return best;
  }

  bool worth(const Move& move) const {
    const std::uint64_t from = loads_[parts_[move.node]];
    if (move.gain > 0 || from > capacities_[parts_[move.node]]) return true;
    return move.gain == 0 && loads_[move.to] + graph_.node_weights[move.node] < from;
  }

  void apply(NodeId v, NodeId to) {
    loads_[parts_[v]] -= graph_.node_weights[v];
    loads_[to] += graph_.node_weights[v];
    parts_[v] = to;
  }

  void queue_neighbors(NodeId v, const std::vector<bool>& locked,
                       std::priority_queue<Move>& queue) {
    if (graph_.csr.degree(v) > kMaxSearchDegree) return;
    for (const NodeId u : graph_.csr.row(v)) {
      if (locked[u] || graph_.csr.degree(u) > kMaxSearchDegree) continue;
      const Move move = best_move(u);
      if (move.to != parts_[u]) queue.push(move);
    }
  }

  const WeightedView& graph_;
  std::span<const std::uint64_t> capacities_;
  std::vector<NodeId>& parts_;
  std::vector<std::uint64_t> loads_;
  SparseSums links_;  ///< of the node that best_move() looked at last
  bool on_boundary_ = false;
};

}  // namespace

CutState refine(const WeightedView& graph, std::span<const std::uint64_t> capacities,
                std::vector<NodeId>& parts) {
  Refiner refiner(graph, capacities, parts);
  refiner.greedy();
  if (graph.csr.num_edges() <= kMaxSearchEdges) {
    for (int i = 0; i < kSearches && refiner.search(); ++i) refiner.greedy();
  }
  return refiner.state();
}

}  // namespace frugal
