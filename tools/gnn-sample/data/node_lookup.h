#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "libcore/base/hash_index.h"
#include "libcore/graph/csr.h"
#include "libcore/tensors/tensor_file.h"
#include "tools/gnn-sample/data/graph_content.h"

namespace frugal::gnn {

/// Finds nodes by what their owner calls them: by the names or ids that the graph keeps of its
/// input, else by their numbers.
class NodeLookup {
 public:
  /// Borrows the set.
  explicit NodeLookup(const NodeSet& nodes);

  std::optional<NodeId> find(std::string_view text) const;
  /// Finds as find() does, for a field that may stand in quotes.
  std::optional<NodeId> find_field(std::string_view field) const;
  bool by_name() const { return !nodes_.name_offsets.empty(); }
  /// "the name of a node", "the ids of two nodes in the input of import" or "the number of a node
  /// below 5", for messages.
  std::string expected(bool two = false) const;

 private:
  std::uint64_t key(std::size_t node) const;

  const NodeSet& nodes_;
  HashIndex index_;  ///< of names or ids
};

/// The name of a node of a set that has names.
std::string_view node_name(const NodeSet& set, std::size_t node);
/// Returns the name of a node, its id in the input of import, or its number in the graph. Graphs
/// that share nodes have the same texts for them, in whatever order they store them.
std::string node_text(const NodeSet& set, std::size_t node);

/// Tells what the owner calls nodes of a set: tensors `names` and `names.offsets`, or `ids`;
/// nothing where nodes are called by their numbers. For many threads.
class NodeIdentities {
 public:
  /// Borrows the set; the prefix goes before the tensors' names.
  NodeIdentities(const NodeSet& nodes, std::string prefix);
  void add(std::span<const NodeId> nodes, Document& document) const;

 private:
  void add_names(std::span<const NodeId> nodes, Document& document) const;

  const NodeSet& nodes_;
  std::string prefix_;
  Dtype id_type_;  ///< I64, which older readers know, where all ids fit
};

}  // namespace frugal::gnn
