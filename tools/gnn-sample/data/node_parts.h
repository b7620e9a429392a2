#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/gnn-sample/data/stored_graph.h"

namespace frugal::gnn {

inline constexpr char kPartitionKind[] = "partition";
inline constexpr char kPartitionPartsKey[] = "partition.parts";
inline constexpr char kPartitionGraphKey[] = "partition.graph";  ///< edges_fingerprint()

/// Tensor with the part of each node of a type.
std::string parts_tensor(const NodeSet& nodes);

struct NodeParts {
  std::vector<NodeId> of;    ///< part of each node
  std::uint64_t number = 0;  ///< of parts
};

/// Reads the parts of nodes of a type from a file of `gnn-sample partition`. Fails (bad_input) if
/// the file is not a partition, or of another graph.
NodeParts read_node_parts(const std::string& path, const StoredGraph& graph, std::size_t type = 0);

/// Nodes of one part, given as FILE:PART, ascending. Returns nullopt if `name` is an existing file
/// or has no :PART. Fails as above, and (usage) where there is no such part.
std::optional<std::vector<NodeId>> nodes_of_part(const std::string& name, const StoredGraph& graph,
                                                 std::size_t type);
/// The file of FILE:PART, or `name` itself. PART is a number, or anything after an existing file.
std::string file_of_part(const std::string& name);

}  // namespace frugal::gnn
