#include "libcore/graph/partition.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/graph/id_permutation.h"
#include "libcore/graph/metis_partition.h"
#include "libcore/graph/stream_partition.h"
#include "libcore/graph/weighted_graph.h"

namespace frugal {
namespace {

void check(const CsrView& graph, const PartitionOptions& options) {
  if (options.parts < 1 || options.parts > std::max<std::size_t>(1, graph.num_nodes())) {
    fail(ExitStatus::usage, "the number of parts is ", options.parts, ", expected 1 to the ",
         graph.num_nodes(), " nodes that there are");
  }
  if (!(options.imbalance >= 1)) {
    fail(ExitStatus::usage, "the imbalance is ", options.imbalance, ", expected 1 or more");
  }
}

/// Parts take turns in each group, in a random order of nodes; a group begins where the one before
/// it ends.
std::vector<NodeId> random_partition(const WeightedView& graph, const PartitionOptions& options) {
  const IdPermutation places(graph.num_nodes(), options.seed);
  std::vector<NodeId> parts(graph.num_nodes());
  std::vector<std::uint64_t> next(graph.num_groups() + 1);
  for (NodeId v = 0; v < graph.num_nodes(); ++v) ++next[graph.group(v) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (std::size_t place = 0; place < parts.size(); ++place) {
    const auto v = static_cast<NodeId>(places.backward(place));
    parts[v] = static_cast<NodeId>(next[graph.group(v)]++ % options.parts);
  }
  return parts;
}

}  // namespace

std::uint64_t part_capacity(std::uint64_t weight, const PartitionOptions& options) {
  const double average = static_cast<double>(weight) / options.parts;
  return static_cast<std::uint64_t>(std::ceil(std::max(average * options.imbalance, 1.0)));
}

double load_balance(const std::vector<std::uint64_t>& loads) {
  const auto sum = std::accumulate(loads.begin(), loads.end(), std::uint64_t{0});
  if (sum == 0) return 0;
  return static_cast<double>(*std::max_element(loads.begin(), loads.end())) *
         static_cast<double>(loads.size()) / static_cast<double>(sum);
}

std::vector<NodeId> partition_graph(const CsrView& graph, std::span<const std::uint32_t> weights,
                                    const PartitionOptions& options,
                                    std::span<const std::uint32_t> groups) {
  check(graph, options);
  std::vector<std::uint64_t> node_weights(graph.num_nodes(), 1), group_weights(1), capacities;
  if (!weights.empty()) node_weights.assign(weights.begin(), weights.end());
  if (!groups.empty()) group_weights.resize(1 + *std::max_element(groups.begin(), groups.end()));
  for (NodeId v = 0; v < graph.num_nodes(); ++v) {
    group_weights[groups.empty() ? 0 : groups[v]] += node_weights[v];
  }
  for (const std::uint64_t weight : group_weights) {
    capacities.push_back(part_capacity(weight, options));
  }
  const std::uint64_t all = std::accumulate(group_weights.begin(), group_weights.end(), 0ULL);
  if (group_weights.size() > 1) capacities.push_back(part_capacity(all, options));
  const WeightedView weighted{graph, node_weights, groups, group_weights};
  switch (options.method) {
    case PartitionMethod::random: return random_partition(weighted, options);
    case PartitionMethod::multilevel: return metis_partition(weighted, capacities, options);
    default: return stream_partition(weighted, capacities, options);
  }
}

PartitionQuality measure_partition(const CsrView& graph, std::span<const NodeId> parts,
                                   std::uint32_t num_parts, std::span<const std::uint8_t> marked) {
  std::vector<std::uint64_t> nodes(num_parts), edges(num_parts), marks(num_parts);
  std::uint64_t cut = 0;
  for (NodeId v = 0; v < graph.num_nodes(); ++v) {
    ++nodes[parts[v]];
    edges[parts[v]] += graph.degree(v);
    if (!marked.empty()) marks[parts[v]] += marked[v];
    for (const NodeId u : graph.row(v)) cut += parts[u] != parts[v];
  }
  PartitionQuality quality;
  const double all = std::max<double>(1, static_cast<double>(graph.num_edges()));
  quality.cut = static_cast<double>(cut) / all;
  quality.node_balance = load_balance(nodes);
  quality.edge_balance = load_balance(edges);
  quality.marked_balance = load_balance(marks);
  return quality;
}

}  // namespace frugal
