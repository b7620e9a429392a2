#include "libcore/graph/multilevel_partition.h"

#include <algorithm>
#include <queue>

#include "libcore/base/rng.h"
#include "libcore/graph/coarsen.h"
#include "libcore/graph/refine.h"

namespace frugal {
namespace {

constexpr NodeId kNodesPerPart = 40;  ///< of the coarsest graph
constexpr int kTries = 8;             ///< cuts of it
constexpr NodeId kNowhere = 0xffffffff;

struct Level {
  Clusters clusters;    ///< of the level below
  WeightedGraph graph;  ///< of these clusters
};

std::vector<Level> coarsen(const WeightedView& finest, std::uint32_t num_parts) {
  std::vector<Level> levels;
  WeightedView graph = finest;
  const std::uint64_t wanted = std::uint64_t{num_parts} * kNodesPerPart;
  // Clusters grow with the levels, so that the coarse nodes remain alike in weight.
  const std::uint64_t heaviest = std::max<std::uint64_t>(1, finest.weight() / wanted);
  while (graph.num_nodes() > wanted) {
    Level level;
    level.clusters = find_clusters(graph, heaviest);
    if (level.clusters.count > graph.num_nodes() / 20 * 19) break;
    level.graph = contract(graph, level.clusters);
    levels.push_back(std::move(level));
    graph = levels.back().graph.view();
  }
  return levels;
}

/// Parts grown one after another from a random node each, by the neighbour tied to it most (Karypis
/// and Kumar 1998, section 3.2.2); what is left over goes to the last.
std::vector<NodeId> grow(const WeightedView& graph, std::uint32_t num_parts, Rng rng) {
  std::vector<NodeId> parts(graph.num_nodes(), kNowhere), starts(graph.num_nodes());
  std::iota(starts.begin(), starts.end(), NodeId{0});
  shuffle(starts.data(), starts.size(), rng);
  std::uint64_t left = graph.weight();
  auto start = starts.begin();
  for (NodeId part = 0; part + 1 < num_parts; ++part) {
    const std::uint64_t goal = left / (num_parts - part);
    std::uint64_t load = 0;
    std::vector<std::uint64_t> ties(graph.num_nodes());
    std::priority_queue<std::pair<std::uint64_t, NodeId>> frontier;
    while (load < goal) {
      while (frontier.empty() && start != starts.end()) {
        if (parts[*start] == kNowhere) frontier.emplace(0, *start);
        ++start;
      }
      if (frontier.empty()) break;
      const NodeId v = frontier.top().second;
      frontier.pop();
      if (parts[v] != kNowhere) continue;
      parts[v] = part;
      load += graph.node_weights[v];
      graph.for_each_edge(v, [&](NodeId u, std::uint32_t w) {
        if (parts[u] == kNowhere) frontier.emplace(ties[u] += w, u);
      });
    }
    left -= load;
  }
  std::replace(parts.begin(), parts.end(), kNowhere, num_parts - 1);
  return parts;
}

std::vector<NodeId> best_of_tries(const WeightedView& graph, std::uint64_t capacity,
                                  const PartitionOptions& options) {
  std::vector<NodeId> best;
  CutState best_state;
  for (int i = 0; i < kTries; ++i) {
    std::vector<NodeId> parts =
        grow(graph, options.parts, Rng(options.seed, static_cast<std::uint64_t>(i)));
    const CutState state = refine(graph, capacity, options.parts, parts);
    if (best.empty() || state < best_state) {
      best = std::move(parts);
      best_state = state;
    }
  }
  return best;
}

}  // namespace

std::vector<NodeId> multilevel_partition(const WeightedView& graph, std::uint64_t capacity,
                                         const PartitionOptions& options) {
  std::vector<Level> levels = coarsen(graph, options.parts);
  std::vector<NodeId> parts =
      best_of_tries(levels.empty() ? graph : levels.back().graph.view(), capacity, options);
  while (!levels.empty()) {
    const Clusters clusters = std::move(levels.back().clusters);
    levels.pop_back();
    std::vector<NodeId> finer(clusters.of.size());
    for (std::size_t v = 0; v < finer.size(); ++v) finer[v] = parts[clusters.of[v]];
    parts = std::move(finer);
    refine(levels.empty() ? graph : levels.back().graph.view(), capacity, options.parts, parts);
  }
  return parts;
}

}  // namespace frugal
