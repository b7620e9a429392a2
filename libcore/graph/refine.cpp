#include "libcore/graph/refine.h"

#include <algorithm>

namespace frugal {
namespace {

constexpr int kRounds = 8;

struct Move {
  std::int64_t gain = 0;  ///< edges that leave the cut
  NodeId to = 0;
};

class Refiner {
 public:
  Refiner(const WeightedView& graph, std::uint64_t capacity, std::uint32_t num_parts,
          std::vector<NodeId>& parts)
      : graph_(graph), capacity_(capacity), parts_(parts), loads_(num_parts), links_(num_parts) {
    for (NodeId v = 0; v < graph.num_nodes(); ++v) loads_[parts[v]] += graph.node_weights[v];
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
  /// The best part for v of those that have room, its own if there is none.
  Move best_move(NodeId v) {
    links_.clear();
    graph_.for_each_edge(v, [&](NodeId u) { links_.add(parts_[u], 1); });
    const NodeId own = parts_[v];
    const auto inside = static_cast<std::int64_t>(links_[own]);
    Move best{0, own};
    const auto consider = [&](NodeId part) {
      if (part == own || loads_[part] + graph_.node_weights[v] > capacity_) return;
      const std::int64_t gain = static_cast<std::int64_t>(links_[part]) - inside;
      const bool first = best.to == own;
      if (first || gain > best.gain || (gain == best.gain && loads_[part] < loads_[best.to])) {
        best = {gain, part};
      }
    };
    for (const NodeId part : links_.keys()) consider(part);
    if (loads_[own] > capacity_) {
      consider(
          static_cast<NodeId>(std::min_element(loads_.begin(), loads_.end()) - loads_.begin()));
    }
    return best;
  }

  bool worth(NodeId v, const Move& move) const {
    const std::uint64_t from = loads_[parts_[v]];
    if (move.gain > 0 || from > capacity_) return true;
    return move.gain == 0 && loads_[move.to] + graph_.node_weights[v] < from;
  }

  void apply(NodeId v, NodeId to) {
    loads_[parts_[v]] -= graph_.node_weights[v];
    loads_[to] += graph_.node_weights[v];
    parts_[v] = to;
  }

  const WeightedView& graph_;
  std::uint64_t capacity_;
  std::vector<NodeId>& parts_;
  std::vector<std::uint64_t> loads_;
  SparseSums links_;  ///< edges to each part of the node that best_move() considers
};

}  // namespace

void refine(const WeightedView& graph, std::uint64_t capacity, std::uint32_t num_parts,
            std::vector<NodeId>& parts) {
  Refiner(graph, capacity, num_parts, parts).run();
}

}  // namespace frugal
