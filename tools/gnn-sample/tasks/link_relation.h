#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/gnn-sample/data/stored_graph.h"

namespace frugal::gnn {

/// Finds edges by their ends. Borrows the edges; those with times are copied.
class EdgeLookup {
 public:
  explicit EdgeLookup(const EdgeSet& edges);
  EdgeLookup(const EdgeLookup&) = delete;
  EdgeLookup& operator=(const EdgeLookup&) = delete;

  bool has(NodeId source, NodeId target) const {
    const auto row = csr_.row(target);
    return std::binary_search(row.begin(), row.end(), source);
  }

 private:
  CsrView csr_;
  std::vector<NodeId> sorted_;
};

/// The edges of one type as links to predict. Borrows the graph.
class LinkRelation {
 public:
  /// edges: index in GraphContent::edges; 0 in a graph of one type.
  explicit LinkRelation(const StoredGraph& graph, std::size_t edges = 0);

  const StoredGraph& graph() const { return graph_; }
  std::size_t edges() const { return edges_; }
  CsrView csr() const { return edge_set().csr; }
  const EdgeSet& edge_set() const { return graph_.content().edges[edges_]; }
  const NodeSet& sources() const { return graph_.content().nodes[source_type_]; }
  const NodeSet& targets() const { return graph_.content().nodes[target_type_]; }
  /// Indices in GraphContent::nodes.
  std::size_t source_type() const { return source_type_; }
  std::size_t target_type() const { return target_type_; }
  /// True if both ends are nodes of one type. The score of a pair then is that of the pair turned
  /// round, and both are in one part.
  bool one_type() const { return source_type_ == target_type_; }
  /// True if each edge is there in both directions, and is one link.
  bool either_way() const { return either_way_; }
  /// A number for a pair; for pairs of one type the same for both directions.
  std::uint64_t key(NodeId source, NodeId target) const;
  /// The graph's path and, if it has several types, the relation; for messages.
  std::string place() const;

 private:
  const StoredGraph& graph_;
  std::size_t edges_, source_type_ = 0, target_type_ = 0;
  bool either_way_ = false;
};

/// Index in GraphContent::edges of the relation SOURCE:RELATION:TARGET of a graph of several types.
/// "": the only relation, without those that import made of the reverse edges of others. Fails
/// (usage) with the relations if there is none or are several.
std::size_t find_relation(const StoredGraph& graph, const std::string& name);

/// Relations that have the edges of a relation turned round: those that import names
/// TARGET:rev_RELATION:SOURCE, and others with exactly these edges. Without the relation itself.
/// Warns if other relations that are followed have a tenth of its edges together: they tell a model
/// what it should predict. is_followed: of a relation's name.
std::vector<std::size_t> reverse_relations(
    const LinkRelation& relation, const std::function<bool(const std::string&)>& is_followed);

}  // namespace frugal::gnn
