#include "libcore/graph/stream_partition.h"

#include <algorithm>
#include <bit>
#include <deque>

namespace frugal {
namespace {

constexpr NodeId kUnplaced = 0xffffffff;

/// Which load is the smallest, the first of equal ones, when they change one by one: a tournament.
class Lightest {
 public:
  /// Borrows the loads, at least one.
  explicit Lightest(const std::vector<std::uint64_t>& loads)
      : loads_(loads), leaves_(std::bit_ceil(loads.size())), winners_(2 * leaves_) {
    for (std::size_t i = 0; i < leaves_; ++i) {
      winners_[leaves_ + i] = static_cast<NodeId>(std::min(i, loads.size() - 1));
    }
    for (std::size_t i = leaves_ - 1; i > 0; --i) play(i);
  }
  NodeId part() const { return winners_[1]; }
  void changed(NodeId part) {
    for (std::size_t i = (leaves_ + part) / 2; i > 0; i /= 2) play(i);
  }

 private:
  void play(std::size_t i) {
    const NodeId left = winners_[2 * i], right = winners_[2 * i + 1];
    winners_[i] = loads_[right] < loads_[left] ? right : left;
  }

  const std::vector<std::uint64_t>& loads_;
  std::size_t leaves_;
  std::vector<NodeId> winners_;
};

/// Weights of the parts in a group.
struct GroupLoads {
  std::uint64_t capacity;
  std::vector<std::uint64_t> loads;
  Lightest lightest{loads};

  GroupLoads(std::uint64_t capacity_of_part, std::size_t parts)
      : capacity(capacity_of_part), loads(parts) {}
  GroupLoads(const GroupLoads&) = delete;
  GroupLoads& operator=(const GroupLoads&) = delete;
  /// Modulo 2^64, so that weights can be taken away.
  void change(NodeId part, std::uint64_t weight) {
    loads[part] += weight;
    lightest.changed(part);
  }
  bool has_room(NodeId part, std::uint64_t weight) const {
    return loads[part] + weight <= capacity;
  }
};

class StreamPartitioner {
 public:
  StreamPartitioner(const WeightedView& graph, std::span<const std::uint64_t> capacities,
                    const PartitionOptions& options)
      : graph_(graph),
        passes_(options.passes),
        parts_(graph.num_nodes(), kUnplaced),
        links_(options.parts) {
    for (const std::uint64_t capacity : capacities) groups_.emplace_back(capacity, options.parts);
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
    GroupLoads& group = groups_[graph_.group(v)];
    if (before != kUnplaced) change(group, before, 0 - weight);
    graph_.for_each_edge(v, [&](NodeId u) {
      if (parts_[u] != kUnplaced) links_.add(parts_[u], 1);
    });
    const NodeId part = best_part(group, weight, before);
    links_.clear();
    parts_[v] = part;
    change(group, part, weight);
    return part != before;
  }

  void change(GroupLoads& group, NodeId part, std::uint64_t weight) {
    group.change(part, weight);
    if (&group != &all()) all().change(part, weight);
  }

  /// Returns the best of the parts that have room: each part of a neighbour is compared with the
  /// lightest part of all, or of the group if that one is full. The node stays in its part `before`
  /// if no other is better.
  NodeId best_part(const GroupLoads& group, std::uint64_t weight, NodeId before) const {
    NodeId best = all().lightest.part();
    if (!group.has_room(best, weight)) best = group.lightest.part();
    double best_score = score(group, best);
    const auto consider = [&](NodeId part) {
      if (!group.has_room(part, weight) || !all().has_room(part, weight)) return;
      const double s = score(group, part);
      if (s > best_score || (s == best_score && part == before)) {
        best = part;
        best_score = s;
      }
    };
    for (const NodeId part : links_.keys()) consider(part);
    if (before != kUnplaced) consider(before);
    return best;
  }

  double score(const GroupLoads& group, NodeId part) const {
    const auto links = static_cast<double>(links_[part]);
    const auto load = static_cast<double>(group.loads[part]);
    return links * (1 - load / static_cast<double>(group.capacity));
  }

  /// Loads of all nodes, which one group has itself.
  GroupLoads& all() { return groups_.back(); }
  const GroupLoads& all() const { return groups_.back(); }

  const WeightedView& graph_;
  int passes_;
  std::deque<GroupLoads> groups_;  ///< of several, all together are the last
  std::vector<NodeId> parts_;
  SparseSums links_;
};

}  // namespace

std::vector<NodeId> stream_partition(const WeightedView& graph,
                                     std::span<const std::uint64_t> capacities,
                                     const PartitionOptions& options) {
  return StreamPartitioner(graph, capacities, options).run();
}

}  // namespace frugal
