#include "libcore/graph/stream_partition.h"

#include <algorithm>
#include <cmath>

namespace frugal {
namespace {

constexpr NodeId kUnplaced = 0xffffffff;

class StreamPartitioner {
 public:
  StreamPartitioner(const WeightedView& graph, std::uint64_t capacity,
                    const PartitionOptions& options)
      : graph_(graph),
        capacity_(capacity),
        fennel_(options.method == PartitionMethod::fennel),
        passes_(options.passes),
        loads_(options.parts),
        parts_(graph.num_nodes(), kUnplaced),
        links_(options.parts) {
    // alpha of Fennel, section 3.2, for gamma 1.5; in units of weight instead of nodes.
    const auto edges = static_cast<double>(graph.csr.num_edges()) / 2;
    const double weight = std::max(1.0, static_cast<double>(graph.weight()));
    penalty_ = 1.5 * edges * std::sqrt(options.parts) / std::pow(weight, 1.5);
  }

  std::vector<NodeId> run() {
    for (int pass = 0; pass < passes_; ++pass) {
      std::size_t moved = 0;
      for (NodeId v = 0; v < graph_.num_nodes(); ++v) moved += place(v);
      if (moved == 0) break;
    }
    return std::move(parts_);
  }

 private:
  bool place(NodeId v) {
    const std::uint64_t weight = graph_.node_weights[v];
    const NodeId before = parts_[v];
    if (before != kUnplaced) loads_[before] -= weight;
    graph_.for_each_edge(v, [&](NodeId u, std::uint32_t w) {
      if (parts_[u] != kUnplaced) links_.add(parts_[u], w);
    });
    const NodeId part = best_part(weight, before);
    links_.clear();
    parts_[v] = part;
    loads_[part] += weight;
    return part != before;
  }

  /// Of the parts that have room and of neighbours, and the lightest; where it is, if as good.
  NodeId best_part(std::uint64_t weight, NodeId before) const {
    const auto lightest =
        static_cast<NodeId>(std::min_element(loads_.begin(), loads_.end()) - loads_.begin());
    NodeId best = lightest;
    double best_score = score(lightest, weight);
    const auto consider = [&](NodeId part) {
      if (loads_[part] + weight > capacity_) return;
      const double s = score(part, weight);
      if (s > best_score || (s == best_score && part == before)) {
        best = part;
        best_score = s;
      }
    };
    for (const NodeId part : links_.keys()) consider(part);
    if (before != kUnplaced) consider(before);
    return best;
  }

  double score(NodeId part, std::uint64_t weight) const {
    const auto links = static_cast<double>(links_[part]);
    const auto load = static_cast<double>(loads_[part]);
    if (fennel_) return links - penalty_ * static_cast<double>(weight) * std::sqrt(load);
    return links * (1 - load / static_cast<double>(capacity_));
  }

  const WeightedView& graph_;
  std::uint64_t capacity_;
  bool fennel_;
  int passes_;
  double penalty_ = 0;
  std::vector<std::uint64_t> loads_;
  std::vector<NodeId> parts_;
  SparseSums links_;
};

}  // namespace

std::vector<NodeId> stream_partition(const WeightedView& graph, std::uint64_t capacity,
                                     const PartitionOptions& options) {
  return StreamPartitioner(graph, capacity, options).run();
}

}  // namespace frugal
