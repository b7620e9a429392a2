#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "libcore/graph/csr.h"
#include "tools/gnn-sample/data/stored_graph.h"

namespace frugal::gnn {

/// Rank that owns each node's features: consecutive blocks of nodes, one for each rank.
std::vector<std::uint32_t> even_owners(std::size_t nodes, std::uint32_t ranks);

/// Rank that owns each node's features, by a file of `gnn-sample partition`. Every rank owns
/// equally many consecutive parts. Fails (bad_input) if the file is not a partition or of another
/// graph, and (usage) if the number of parts is not a multiple of the number of ranks.
std::vector<std::uint32_t> read_owners(const std::string& path, const StoredGraph& graph,
                                       std::uint32_t ranks);

/// The `count` most probable nodes that other ranks than `me` own, ascending; fewer if fewer have a
/// probability above 0.
std::vector<NodeId> most_probable(std::span<const float> probabilities,
                                  std::span<const std::uint32_t> owners, std::uint32_t me,
                                  std::size_t count);

}  // namespace frugal::gnn
