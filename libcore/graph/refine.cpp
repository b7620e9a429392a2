#include "libcore/graph/refine.h"

namespace frugal {
namespace {

constexpr int kRounds = 8;

struct Move {
  std::int64_t gain = 0;  ///< edges that leave the cut
  NodeId to = 0;
};

class Refiner {
 public:
  Refiner(const WeightedView& graph, std::span<const std::uint64_t> capacities,
          std::uint32_t num_parts, std::vector<NodeId>& parts)
      : graph_(graph),
        capacities_(capacities),
        parts_(parts),
        loads_(capacities.size(), std::vector<std::uint64_t>(num_parts)),
        links_(num_parts) {
    for (NodeId v = 0; v < graph.num_nodes(); ++v) add(v, parts[v], graph.node_weights[v]);
  }

  void run() {
    for (int round = 0; round < kRounds; ++round) {
      std::size_t moved = 0;
      for (NodeId v = 0; v < graph_.num_nodes(); ++v) {
        const Move move = best_move(v);
        if (move.to == parts_[v] || !worth(v, move)) continue;
        apply(v, move.to);
        ++moved;
      }
      if (moved * 1000 <= graph_.num_nodes()) break;
    }
  }

 private:
  /// Loads of the parts in the group of v.
  std::vector<std::uint64_t>& loads_of(NodeId v) { return loads_[graph_.group(v)]; }
  std::uint64_t capacity_of(NodeId v) const { return capacities_[graph_.group(v)]; }

  /// Modulo 2^64, so that weights can be taken away.
  void add(NodeId v, NodeId part, std::uint64_t weight) {
    loads_of(v)[part] += weight;
    if (loads_.size() > 1) loads_.back()[part] += weight;
  }
  bool too_heavy(NodeId v) {
    return loads_of(v)[parts_[v]] > capacity_of(v) || loads_.back()[parts_[v]] > capacities_.back();
  }

  /// The part with the smallest load of all nodes among those with room for v in its group.
  NodeId lightest(NodeId v) {
    NodeId best = parts_[v];
    for (NodeId part = 0; part < loads_.back().size(); ++part) {
      if (part == parts_[v] || loads_of(v)[part] + graph_.node_weights[v] > capacity_of(v))
        continue;
      if (best == parts_[v] || loads_.back()[part] < loads_.back()[best]) best = part;
    }
    return best;
  }

  /// The best part for v of those that have room, its own if there is none.
  Move best_move(NodeId v) {
    links_.clear();
    graph_.for_each_edge(v, [&](NodeId u) { links_.add(parts_[u], 1); });
    const NodeId own = parts_[v];
    const std::vector<std::uint64_t>& loads = loads_of(v);
    const std::uint64_t capacity = capacity_of(v);
    const auto inside = static_cast<std::int64_t>(links_[own]);
    Move best{0, own};
    const auto consider = [&](NodeId part) {
      const std::uint64_t weight = graph_.node_weights[v];
      if (part == own || loads[part] + weight > capacity) return;
      if (loads[own] <= capacity && loads_.back()[part] + weight > capacities_.back()) return;
      const std::int64_t gain = static_cast<std::int64_t>(links_[part]) - inside;
      const bool first = best.to == own;
      if (first || gain > best.gain || (gain == best.gain && loads[part] < loads[best.to])) {
        best = {gain, part};
      }
    };
    for (const NodeId part : links_.keys()) consider(part);
    if (too_heavy(v)) consider(lightest(v));
    return best;
  }

  bool worth(NodeId v, const Move& move) {
    const std::vector<std::uint64_t>& loads = loads_of(v);
    const std::uint64_t from = loads[parts_[v]];
    if (move.gain > 0 || too_heavy(v)) return true;
    return move.gain == 0 && loads[move.to] + graph_.node_weights[v] < from;
  }

  void apply(NodeId v, NodeId to) {
    add(v, parts_[v], 0 - graph_.node_weights[v]);
    add(v, to, graph_.node_weights[v]);
    parts_[v] = to;
  }

  const WeightedView& graph_;
  std::span<const std::uint64_t> capacities_;
  std::vector<NodeId>& parts_;
  std::vector<std::vector<std::uint64_t>> loads_;  ///< as capacities_, by part
  SparseSums links_;  ///< edges to each part of the node that best_move() considers
};

}  // namespace

void refine(const WeightedView& graph, std::span<const std::uint64_t> capacities,
            std::uint32_t num_parts, std::vector<NodeId>& parts) {
  Refiner(graph, capacities, num_parts, parts).run();
}

}  // namespace frugal
