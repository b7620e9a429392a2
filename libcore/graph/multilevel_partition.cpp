#include "libcore/graph/multilevel_partition.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <queue>

#include "libcore/base/hash.h"
#include "libcore/base/rng.h"
#include "libcore/graph/coarsen.h"
#include "libcore/graph/refine.h"
#include "libcore/graph/weighted_graph.h"

namespace frugal {
namespace {

constexpr std::uint64_t kTries = 8;  ///< of each cut
constexpr NodeId kOutside = 0xffffffff;

/// The nodes of one side and the edges between them; members: their numbers in `graph`.
WeightedGraph induced(const WeightedView& graph, const std::vector<NodeId>& members) {
  std::vector<NodeId> numbers(graph.num_nodes(), kOutside);
  for (NodeId i = 0; i < members.size(); ++i) numbers[members[i]] = i;
  WeightedGraph part;
  part.offsets.push_back(0);
  for (const NodeId v : members) {
    graph.for_each_edge(v, [&](NodeId u, std::uint32_t w) {
      if (numbers[u] == kOutside) return;
      part.neighbors.push_back(numbers[u]);
      part.edge_weights.push_back(w);
    });
    part.offsets.push_back(part.neighbors.size());
    part.node_weights.push_back(graph.node_weights[v]);
  }
  return part;
}

/// Side 0 grown to the weight `goal` from a random node, by the neighbour tied to it most (Karypis
/// and Kumar, 1998, section 3.2); the rest is side 1.
std::vector<NodeId> grow(const WeightedView& graph, std::uint64_t goal, Rng rng) {
  std::vector<NodeId> sides(graph.num_nodes(), 1), starts(graph.num_nodes());
  std::iota(starts.begin(), starts.end(), NodeId{0});
  shuffle(starts.data(), starts.size(), rng);
  std::vector<std::uint64_t> ties(graph.num_nodes());
  std::priority_queue<std::pair<std::uint64_t, NodeId>> frontier;
  auto start = starts.begin();
  for (std::uint64_t load = 0; load < goal;) {
    if (frontier.empty()) {
      if (start == starts.end()) break;
      frontier.emplace(0, *start++);
    }
    const NodeId v = frontier.top().second;
    frontier.pop();
    if (sides[v] == 0) continue;
    sides[v] = 0;
    load += graph.node_weights[v];
    graph.for_each_edge(v, [&](NodeId u, std::uint32_t w) {
      if (sides[u] == 1) frontier.emplace(ties[u] += w, u);
    });
  }
  return sides;
}

class Bisection {
 public:
  Bisection(const WeightedView& graph, std::uint64_t capacity, std::uint64_t seed)
      : parts_(graph.num_nodes()), capacity_(capacity), seed_(seed) {}

  /// Gives the members, whose graph this is, the parts [first, first + count).
  void divide(const WeightedView& graph, const std::vector<NodeId>& members, NodeId first,
              NodeId count) {
    if (count == 1) {
      for (const NodeId v : members) parts_[v] = first;
      return;
    }
    const NodeId left = count / 2;
    const std::vector<NodeId> sides = best_cut(graph, left, count);
    for (const NodeId side : {NodeId{0}, NodeId{1}}) {
      std::vector<NodeId> local, global;
      for (NodeId i = 0; i < sides.size(); ++i) {
        if (sides[i] != side) continue;
        local.push_back(i);
        global.push_back(members[i]);
      }
      const WeightedGraph part = induced(graph, local);
      divide(part.view(), global, side == 0 ? first : first + left,
             side == 0 ? left : count - left);
    }
  }
  std::vector<NodeId> parts() && { return std::move(parts_); }

 private:
  std::vector<NodeId> best_cut(const WeightedView& graph, NodeId left, NodeId count) {
    const double weight = std::max(1.0, static_cast<double>(graph.weight()));
    // The slack that is left is shared by the cuts still to come.
    const double slack = std::max(1.0, static_cast<double>(capacity_) * count / weight);
    const double factor = std::pow(slack, 1.0 / std::bit_width(count - 1));
    const auto share = [&](NodeId parts, double times) {
      return static_cast<std::uint64_t>(std::ceil(weight * parts / count * times));
    };
    const std::array<std::uint64_t, 2> capacities = {share(left, factor),
                                                     share(count - left, factor)};
    std::vector<NodeId> best;
    CutState best_state;
    for (std::uint64_t i = 0; i < kTries; ++i) {
      std::vector<NodeId> sides = grow(graph, share(left, 1), Rng(seed_, ++cuts_));
      const CutState state = refine(graph, capacities, sides);
      if (best.empty() || state < best_state) {
        best = std::move(sides);
        best_state = state;
      }
    }
    return best;
  }

  std::vector<NodeId> parts_;
  std::uint64_t capacity_, seed_, cuts_ = 0;
};

/// Parts of a small graph by halving it, and the halves again. `capacity`: of a part, in weight;
/// kept unless single nodes are too heavy for it.
std::vector<NodeId> recursive_bisection(const WeightedView& graph, std::uint64_t capacity,
                                        const PartitionOptions& options) {
  std::vector<NodeId> members(graph.num_nodes());
  std::iota(members.begin(), members.end(), NodeId{0});
  Bisection bisection(graph, capacity, options.seed);
  bisection.divide(graph, members, 0, options.parts);
  return std::move(bisection).parts();
}

constexpr NodeId kNodesPerPart = 60;  ///< of the coarsest graph
/// Each after the first contracts inside the parts and refines again: cuts get 3 % to 20 % smaller.
constexpr std::uint64_t kCycles = 3;

struct Level {
  Clusters clusters;    ///< of the level below
  WeightedGraph graph;  ///< of these clusters
};

/// Clusters lie in one part each where there are parts, which become those of the last level.
std::vector<Level> coarsen(const WeightedView& finest, std::uint32_t num_parts, std::uint64_t seed,
                           std::vector<NodeId>& parts) {
  std::vector<Level> levels;
  WeightedView graph = finest;
  const std::uint64_t wanted = std::uint64_t{num_parts} * kNodesPerPart;
  const std::uint64_t heaviest = std::max<std::uint64_t>(1, finest.weight() / wanted);
  while (graph.num_nodes() > wanted) {
    Level level;
    level.clusters = find_clusters(graph, {heaviest, parts, seed});
    const Clusters& clusters = level.clusters;
    if (clusters.count > graph.num_nodes() / 20 * 19) break;
    level.graph = contract(graph, clusters);
    if (!parts.empty()) {
      std::vector<NodeId> coarse(clusters.count);
      for (std::size_t v = 0; v < parts.size(); ++v) coarse[clusters.of[v]] = parts[v];
      parts = std::move(coarse);
    }
    levels.push_back(std::move(level));
    graph = levels.back().graph.view();
  }
  return levels;
}

/// From the coarsest graph, `parts` being its, to the finest, refined at each level.
void uncoarsen(const WeightedView& finest, std::vector<Level>&& levels,
               std::span<const std::uint64_t> capacities, std::vector<NodeId>& parts) {
  while (!levels.empty()) {
    const Clusters clusters = std::move(levels.back().clusters);
    levels.pop_back();
    std::vector<NodeId> finer(clusters.of.size());
    for (std::size_t v = 0; v < finer.size(); ++v) finer[v] = parts[clusters.of[v]];
    parts = std::move(finer);
    refine(levels.empty() ? finest : levels.back().graph.view(), capacities, parts);
  }
}

}  // namespace

std::vector<NodeId> multilevel_partition(const WeightedView& graph, std::uint64_t capacity,
                                         const PartitionOptions& options) {
  const std::vector<std::uint64_t> capacities(options.parts, capacity);
  std::vector<NodeId> parts;
  for (std::uint64_t cycle = 0; cycle < kCycles; ++cycle) {
    std::vector<Level> levels =
        coarsen(graph, options.parts, hash_combine(options.seed, cycle), parts);
    const WeightedView coarsest = levels.empty() ? graph : levels.back().graph.view();
    if (cycle == 0) parts = recursive_bisection(coarsest, capacity, options);
    refine(coarsest, capacities, parts);
    uncoarsen(graph, std::move(levels), capacities, parts);
  }
  return parts;
}

}  // namespace frugal
