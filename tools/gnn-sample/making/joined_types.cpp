#include "tools/gnn-sample/making/joined_types.h"

#include <algorithm>
#include <limits>

#include "libcore/base/error.h"
#include "libcore/graph/build_graph.h"
#include "libcore/graph/partition.h"
#include "libcore/system/limits.h"
#include "tools/gnn-sample/data/graph_file.h"

namespace frugal::gnn {
namespace {

std::size_t type_number(const GraphContent& content, const std::string& type) {
  return static_cast<std::size_t>(&content.nodes_of(type) - content.nodes.data());
}

/// Numbers of the first source and target of a relation.
struct Ends {
  std::uint64_t source, target;
};
Ends first_ends(const GraphContent& content, const JoinedTypes& joined, const EdgeSet& edges) {
  return {joined.first[type_number(content, edges.source_type)],
          joined.first[type_number(content, edges.target_type)]};
}

}  // namespace

JoinedTypes join_types(const GraphContent& content) {
  constexpr std::size_t kChunk = std::size_t{1} << 22;
  constexpr std::uint64_t kBytesOfEdge = 16;  ///< two ids in either direction
  JoinedTypes joined;
  joined.first.push_back(0);
  for (const NodeSet& nodes : content.nodes)
    joined.first.push_back(joined.first.back() + nodes.size);
  const std::uint64_t size = joined.first.back();
  if (size >= std::numeric_limits<NodeId>::max()) {
    fail(ExitStatus::unavailable, "the types have ", size, " nodes together, expected fewer than ",
         std::numeric_limits<NodeId>::max());
  }
  for (std::uint32_t t = 0; t < content.nodes.size(); ++t) {
    joined.types.insert(joined.types.end(), content.nodes[t].size, t);
  }
  check_memory("the types as one graph", content.num_edges() * kBytesOfEdge);
  EdgeList list;
  list.num_nodes = size;
  for (const EdgeSet& edges : content.edges) {
    const Ends first = first_ends(content, joined, edges);
    for (NodeId v = 0; v < edges.csr.num_nodes(); ++v) {
      if (list.chunks.empty() || list.chunks.back().size() >= kChunk) list.chunks.emplace_back();
      EdgeChunk& chunk = list.chunks.back();
      for (const NodeId u : edges.csr.row(v)) {
        chunk.sources.push_back(static_cast<NodeId>(first.source + u));
        chunk.targets.push_back(static_cast<NodeId>(first.target + v));
      }
    }
  }
  joined.graph = build_graph(std::move(list),
                             {.symmetrize = true, .dedupe = true, .self_loops = SelfLoops::remove});
  return joined;
}

JoinedQuality measure_types(const GraphContent& content, const JoinedTypes& joined,
                            const std::vector<NodeId>& parts, std::uint32_t num_parts,
                            const std::vector<std::uint8_t>& marked) {
  JoinedQuality quality;
  std::vector<std::uint64_t> loads(num_parts);
  for (const NodeSet& nodes : content.nodes)
    quality.nodes.push_back({nodes.type, loads, loads, loads});
  for (NodeId v = 0; v < parts.size(); ++v) {
    NodeTypeLoads& of_type = quality.nodes[joined.types[v]];
    ++of_type.nodes[parts[v]];
    of_type.edges[parts[v]] += joined.graph.csr().degree(v);
    if (!marked.empty()) of_type.marked[parts[v]] += marked[v];
  }
  std::uint64_t all_cut = 0;
  for (const EdgeSet& edges : content.edges) {
    const Ends first = first_ends(content, joined, edges);
    std::uint64_t cut = 0;
    for (NodeId v = 0; v < edges.csr.num_nodes(); ++v) {
      const NodeId part = parts[first.target + v];
      loads[part] += edges.csr.degree(v);
      for (const NodeId u : edges.csr.row(v)) cut += parts[first.source + u] != part ? 1 : 0;
    }
    const std::uint64_t size = edges.csr.num_edges();
    quality.edges.push_back({edge_type_name(edges), size,
                             static_cast<double>(cut) / std::max(1.0, static_cast<double>(size))});
    all_cut += cut;
  }
  quality.edge_balance = load_balance(loads);
  quality.cut =
      static_cast<double>(all_cut) / std::max(1.0, static_cast<double>(content.num_edges()));
  return quality;
}

}  // namespace frugal::gnn
