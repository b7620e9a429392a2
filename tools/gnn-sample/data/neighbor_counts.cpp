#include "tools/gnn-sample/data/neighbor_counts.h"

#include <algorithm>

#include "libcore/threading/parallel.h"

namespace frugal::gnn {

std::vector<std::uint32_t> neighbor_counts(const CsrView& graph) {
  constexpr std::size_t kNodesAtATime = 1024;
  std::vector<std::uint32_t> counts(graph.num_nodes());
  parallel_for(counts.size(), kNodesAtATime, [&](std::size_t v) {
    const auto node = static_cast<NodeId>(v);
    const auto row = graph.row(node);
    counts[v] =
        graph.degree(node) - static_cast<std::uint32_t>(std::count(row.begin(), row.end(), node));
  });
  return counts;
}

std::vector<WeightedDegree> weighted_degrees(const CsrView& graph, std::span<const float> weights) {
  constexpr std::size_t kNodesAtATime = 1024;
  std::vector<WeightedDegree> degrees(graph.num_nodes());
  parallel_for(degrees.size(), kNodesAtATime, [&](std::size_t v) {
    for (EdgeId e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) {
      const auto weight = static_cast<double>(weights[e]);
      if (graph.neighbors[e] == v) {
        degrees[v].own = weight;
      } else {
        degrees[v].neighbors += weight;
      }
    }
  });
  return degrees;
}

}  // namespace frugal::gnn
