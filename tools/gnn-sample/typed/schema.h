#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/gnn-sample/data/stored_graph.h"

namespace frugal::gnn {

/// A type of nodes as a network reads it.
struct NodeType {
  std::string name;
  std::size_t features = 0;  ///< of a node; 0: an embedding of each node is trained instead
};

/// A type of edges, by the numbers of its ends' types.
struct RelationType {
  std::string name;  ///< SOURCE:RELATION:TARGET
  std::size_t source = 0, target = 0;
};

/// The types of nodes and edges that a network for graphs of several types knows.
struct TypedSchema {
  std::vector<NodeType> nodes;
  std::vector<RelationType> relations;
  std::size_t seeds = 0;  ///< type of the nodes that outputs are computed for
  /// Another type with outputs: that of the targets of links, whose sources are `seeds`.
  std::optional<std::size_t> second = {};

  /// The types of a graph, and those of its edges that `relations` lists by number.
  static TypedSchema of(const StoredGraph& graph, const std::vector<std::size_t>& relations,
                        std::size_t seeds, std::optional<std::size_t> second = {});

  /// Parses text(). Fails (bad_input) with `place` for anything else.
  static TypedSchema parse(const std::string& text, const std::string& place);
  bool has_outputs(std::size_t type) const { return type == seeds || type == second; }
  /// A line "TYPE FEATURES" for each type of nodes, the one of the seeds first, then a line for
  /// each relation.
  std::string text() const;
};

/// Where the types of a schema are in a graph.
struct TypePlaces {
  std::vector<std::size_t> nodes, edges;  ///< indices in GraphContent::nodes and ::edges

  /// Fails (bad_input) for a type that the graph lacks, and for other numbers of features. model:
  /// the file that has the schema, for messages.
  static TypePlaces find(const TypedSchema& schema, const StoredGraph& graph,
                         const std::string& model);
  /// True if a relation has weights of edges.
  bool has_weights(const StoredGraph& graph) const;
  /// Fails (bad_input) if no relation has weights. reader: who reads them, for the message.
  void require_weights(const StoredGraph& graph, const std::string& reader) const;
};

}  // namespace frugal::gnn
