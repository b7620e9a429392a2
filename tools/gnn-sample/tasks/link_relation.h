#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/gnn-sample/data/stored_graph.h"

namespace frugal::gnn {

/// The edges of one type as links to predict. Borrows the graph.
class LinkRelation {
 public:
  /// edges: index in GraphContent::edges; 0 in a graph of one type.
  explicit LinkRelation(const StoredGraph& graph, std::size_t edges = 0);

  const StoredGraph& graph() const { return graph_; }
  std::size_t edges() const { return edges_; }
  CsrView csr() const { return edge_set().csr; }
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
  const EdgeSet& edge_set() const { return graph_.content().edges[edges_]; }

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
/// Warns of relations that have at least half of its edges, and are none of these: they tell a
/// model what it should predict.
std::vector<std::size_t> reverse_relations(const LinkRelation& relation);

}  // namespace frugal::gnn
