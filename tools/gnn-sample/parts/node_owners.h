#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "libcore/graph/csr.h"
#include "tools/gnn-sample/data/stored_graph.h"

namespace frugal::gnn {

inline constexpr char kPartitionKind[] = "partition";
inline constexpr char kPartitionPartsKey[] = "partition.parts";
inline constexpr char kPartitionGraphKey[] = "partition.graph";  ///< edges_fingerprint()

/// The rank that has the features of each node, ranks having blocks of nodes in turn.
std::vector<std::uint32_t> even_owners(std::size_t nodes, std::uint32_t ranks);

/// The same by a file of `gnn-sample partition`: ranks have as many parts each, in order. Fails
/// (bad_input) for what is no such file or of another graph, usage where the ranks do not divide
/// its parts.
std::vector<std::uint32_t> read_owners(const std::string& path, const StoredGraph& graph,
                                       std::uint32_t ranks);

/// The `count` most probable of the nodes that others than rank `me` have, ascending; fewer where
/// no more have a probability.
std::vector<NodeId> most_probable(std::span<const float> probabilities,
                                  std::span<const std::uint32_t> owners, std::uint32_t me,
                                  std::size_t count);

}  // namespace frugal::gnn
